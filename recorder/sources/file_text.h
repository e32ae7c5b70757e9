// SPDX-License-Identifier: Apache-2.0
// Reads the kernel's small text files: once, or again and again through one descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gordian {

// The file's text without trailing line ends, at most `max_bytes` of it; nothing if it cannot be
// read.
std::optional<std::string> ReadSmallFile(const std::string& path, size_t max_bytes = 64 << 10);

// The number that is all of a file's text; nothing if it is none.
std::optional<uint64_t> ReadSmallNumber(const std::string& path);

// A file that stays open and is read from its start each time: the kernel fills it anew, and
// nothing is looked up by name again. Opened at the first Read, and again after a read that failed.
class RereadFile {
 public:
  explicit RereadFile(std::string path);
  ~RereadFile();
  RereadFile(const RereadFile&) = delete;
  RereadFile& operator=(const RereadFile&) = delete;

  // The whole text, valid until the next Read; nothing if it cannot be read or is larger than 16
  // MiB.
  std::optional<std::string_view> Read();

 private:
  bool Open();
  void Close();

  std::string path_;
  int fd_ = -1;
  std::string buffer_;
};

}  // namespace gordian
