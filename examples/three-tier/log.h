// SPDX-License-Identifier: Apache-2.0
// Log lines as servers write them: time, program, thread, text. The time is UTC and tells no zone.
#pragma once

#include <string>

namespace three_tier {

class Log {
 public:
  // Ends the program with a line on stderr if the file cannot be opened. Without a path it writes
  // nothing.
  Log(const std::string& program, const std::string& path);

  void Write(const std::string& text) const;  // one call of write for each line
  bool is_open() const { return file_ >= 0; }

 private:
  const std::string program_;
  int file_ = -1;
};

}  // namespace three_tier
