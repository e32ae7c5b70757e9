// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr size_t kBufferBytes = 128u << 10;

}  // namespace

Output::Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  buffer_.reserve(kBufferBytes);
  std::signal(SIGPIPE, SIG_IGN);
}

bool Output::Write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) WriteOut();
  for (; text.size() > kBufferBytes && !closed_; text.remove_prefix(kBufferBytes)) {
    buffer_.append(text.substr(0, kBufferBytes));
    WriteOut();
  }
  if (closed_) return false;
  buffer_.append(text);
  return true;
}

void Output::WriteOut() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      if (errno != EPIPE)
        status_ = absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", name_));
      closed_ = true;
    }
  }
  buffer_.clear();
}

absl::Status Output::Finish() {
  WriteOut();
  return status_;
}

}  // namespace gordian
