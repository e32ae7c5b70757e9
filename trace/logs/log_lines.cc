// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/log_lines.h"

#include <cstring>
#include <span>

namespace gordian {
namespace {

// As much as a pipe holds. Larger reads are no faster, and small logs would pay for the memory.
constexpr size_t kReadBytes = 64u << 10;

}  // namespace

LogLines::LogLines(LogBytes& bytes) : bytes_(bytes), buffer_(kReadBytes) {}

// Moves the rest to the front and reads behind it, with room for at least kReadBytes. False at the
// end.
bool LogLines::Fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < kReadBytes) buffer_.resize(end_ + kReadBytes);
  const auto got = bytes_.Read(std::span(buffer_).subspan(end_));
  if (!got.ok()) status_ = got.status();
  if (!got.ok() || *got == 0) {
    at_end_ = true;
    return false;
  }
  end_ += *got;
  return true;
}

// Ends: each turn returns, reads more, or lets go of bytes that were held.
bool LogLines::Next(std::string_view& line) {
  size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const size_t held = end_ - begin_;
    const void* newline = std::memchr(start + searched, '\n', held - searched);
    if (newline == nullptr && !at_end_ && held <= kMaxLineBytes) {
      searched = held;
      Fill();
      continue;
    }
    if (newline == nullptr && at_end_ && (held == 0 || !status_.ok())) return false;
    size_t size = newline != nullptr ? static_cast<const char*>(newline) - start : held;
    begin_ += newline != nullptr ? size + 1 : size;
    const bool tail_of_long_line = skipping_;
    skipping_ = newline == nullptr && !at_end_;
    searched = 0;
    if (tail_of_long_line) continue;
    ++line_number_;
    if (size > kMaxLineBytes || skipping_) {
      ++too_long_;
      continue;
    }
    if (size > 0 && start[size - 1] == '\r') --size;
    line = std::string_view(start, size);
    return true;
  }
}

}  // namespace gordian
