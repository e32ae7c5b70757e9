// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, gone with the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gordian::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const;
  // The names of its entries, hidden files too, in order.
  std::vector<std::string> Entries() const;

 private:
  std::string path_;
};

// Makes the file, or aborts. Returns its path.
std::string WriteFile(const std::string& path, std::string_view contents);
// The whole file, or aborts.
std::string ReadFile(const std::string& path);

}  // namespace gordian::testing
