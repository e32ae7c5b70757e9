// SPDX-License-Identifier: Apache-2.0
#include "import/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gordian {
namespace {

// Larger reads are no faster, and small files would pay for the memory.
constexpr size_t kReadBytes = 32u << 10;

}  // namespace

LineReader::LineReader(int fd, LongLines long_lines)
    : fd_(fd), long_lines_(long_lines), buffer_(kMaxLineBytes + kReadBytes) {}

// Moves the rest to the front and reads behind it. False if nothing came.
bool LineReader::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const ssize_t got = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
  if (got < 0 && errno == EINTR) {
    // Only a signal with a handler gets here: the user does not want to wait for a pipe any longer.
    status_ = absl::CancelledError("was interrupted; nothing was imported");
  } else if (got < 0) {
    status_ = absl::ErrnoToStatus(errno, "cannot be read");
  }
  if (got <= 0) {
    at_end_ = true;
    return false;
  }
  end_ += static_cast<size_t>(got);
  bytes_read_ += static_cast<uint64_t>(got);
  return true;
}

// False if the file ends within it. Each turn returns or reads more.
bool LineReader::SkipRestOfLine() {
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(start, '\n', end_ - begin_);
    if (newline != nullptr) {
      begin_ += static_cast<const char*>(newline) - start + 1;
      in_long_line_ = false;
      return true;
    }
    begin_ = end_;
    if (at_end_ || !Fill()) return false;
  }
}

// Ends: each turn of the loop either returns or reads more, and the bytes held never pass
// kMaxLineBytes.
bool LineReader::Next(std::string_view& line) {
  if (!status_.ok() || (in_long_line_ && !SkipRestOfLine())) return false;
  size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const size_t held = end_ - begin_;
    const void* newline = std::memchr(start + searched, '\n', held - searched);
    const bool last = newline == nullptr && at_end_;
    if (last && (held == 0 || !status_.ok())) return false;
    if (newline != nullptr || last || held > kMaxLineBytes) {
      if (held > kMaxLineBytes && long_lines_ == LongLines::kCut &&
          (newline == nullptr || static_cast<const char*>(newline) > start + kMaxLineBytes)) {
        in_long_line_ = true;
        ++line_number_;
        line = std::string_view(start, kMaxLineBytes);
        begin_ += kMaxLineBytes;
        return true;
      }
      size_t size = newline != nullptr ? static_cast<const char*>(newline) - start : held;
      begin_ += newline != nullptr ? size + 1 : size;
      ++line_number_;
      if (size > kMaxLineBytes) {
        status_ =
            absl::InvalidArgumentError("longer than 64 KiB: this is no CSV that can be imported");
        return false;
      }
      if (size > 0 && start[size - 1] == '\r') --size;
      line = std::string_view(start, size);
      return true;
    }
    searched = held;
    Fill();
  }
}

}  // namespace gordian
