// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/file_window.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "fmt/format.h"

namespace gordian {

absl::Status WrongAt(uint64_t offset, std::string_view reason) {
  return absl::InvalidArgumentError(fmt::format("byte {}: {}", offset, reason));
}

absl::Status FileWindow::View(uint64_t offset, uint64_t size, std::span<const uint8_t>& part) {
  if (offset > file_bytes_ || size > file_bytes_ - offset)
    return WrongAt(offset, fmt::format("{} bytes are missing: the file is cut", size));
  if (size > kMaxPartBytes) return WrongAt(offset, fmt::format("a part of {} bytes", size));
  if (offset < begin_ || offset + size > begin_ + held_) {
    const uint64_t wanted = std::min(std::max<uint64_t>(size, kWindowBytes), file_bytes_ - offset);
    if (window_.size() < wanted) window_.resize(wanted);
    begin_ = offset;
    held_ = 0;
    while (held_ < wanted) {
      const ssize_t got =
          ::pread(fd_, window_.data() + held_, wanted - held_, static_cast<off_t>(offset + held_));
      if (got < 0 && errno == EINTR)
        return absl::CancelledError("was interrupted; nothing was imported");
      if (got < 0) return absl::ErrnoToStatus(errno, "cannot read the trace");
      if (got == 0) return WrongAt(offset + held_, "the file became shorter");
      held_ += static_cast<size_t>(got);
    }
  }
  part = std::span<const uint8_t>(window_).subspan(offset - begin_, size);
  return absl::OkStatus();
}

}  // namespace gordian
