// SPDX-License-Identifier: Apache-2.0
// The program `stall`, recorded and followed by gordian top as a service, for tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian {

class FollowedStall {
 public:
  // Records from the program's beginning on; it stalls after two seconds.
  FollowedStall();
  ~FollowedStall();

  // Begins to follow, with these options.
  void Follow(const std::vector<std::string>& options);
  // What gordian top has said on stderr.
  std::string Said() const;
  // Ends the recording; gordian top ends with it. Its exit code.
  int End();

  const testing::TempDir& directory() const { return directory_; }
  // Asks again and again until it is so; false after a minute.
  static bool Until(const std::function<bool()>& is_so);

 private:
  testing::TempDir directory_;
  std::unique_ptr<BackgroundProgram> recorder_;
  std::unique_ptr<BackgroundProgram> top_;
};

}  // namespace gordian
