// SPDX-License-Identifier: Apache-2.0
// Parts of a foreign file by their offset, in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"

namespace gordian {

// Where in a file something is wrong: "byte 4096: reason".
absl::Status WrongAt(uint64_t offset, std::string_view reason);

class FileWindow {
 public:
  static constexpr size_t kWindowBytes = 512u << 10;
  // A larger part is refused: no piece of these formats that is read at once has more.
  static constexpr uint64_t kMaxPartBytes = 64u << 20;

  // `fd` stays the caller's, and can be read at any place.
  FileWindow(int fd, uint64_t file_bytes) : fd_(fd), file_bytes_(file_bytes) {}

  // `part` is valid until the next call. InvalidArgument for what the file does not hold.
  absl::Status View(uint64_t offset, uint64_t size, std::span<const uint8_t>& part);
  uint64_t file_bytes() const { return file_bytes_; }

 private:
  int fd_;
  uint64_t file_bytes_;
  std::vector<uint8_t> window_;
  uint64_t begin_ = 0;  // of the window
  size_t held_ = 0;     // bytes in it
};

}  // namespace gordian
