// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "import/foreign_input.h"
#include "trace/logs/log_bytes.h"

namespace gordian {
namespace {

// Traces shrink to a tenth, those of idle machines to a hundredth. A file that grows more was made
// to fill the disk.
constexpr uint64_t kMostGrowth = 1000;

bool IsPacked(int fd) {
  char start[4] = {};
  const ssize_t got = ::pread(fd, start, sizeof start, 0);  // fails for a pipe
  const std::string_view text(start, got < 0 ? 0 : static_cast<size_t>(got));
  return text.starts_with("\x1f\x8b") || text == "\x28\xb5\x2f\xfd";
}

absl::Status WriteWhole(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "cannot unpack the trace");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForeignFile>> ForeignFile::OpenUnpacked(
    const std::string& file, const std::filesystem::path& scratch,
    const std::function<absl::Status(uint64_t bytes)>& progress) {
  auto packed = Open(file);
  if (!packed.ok() || !IsPacked((*packed)->fd())) return packed;
  const auto bytes = OpenLog(file);
  if (!bytes.ok()) return bytes.status();
  std::string path = scratch / "unpacked-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, fmt::format("cannot make a file in {}", path));
  ::unlink(path.c_str());
  std::unique_ptr<ForeignFile> plain(new ForeignFile(fd));
  const uint64_t most_bytes = (*packed)->size_bytes() * kMostGrowth;
  std::vector<char> chunk(1u << 20);
  for (uint64_t done = 0;;) {
    if (absl::Status status = progress(done); !status.ok()) return status;
    const auto got = (*bytes)->Read(chunk);
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    done += *got;
    if (done > most_bytes)
      return absl::InvalidArgumentError(
          fmt::format("grows to more than {} times its size: unpack it first", kMostGrowth));
    absl::Status status = WriteWhole(fd, std::span<const char>(chunk).first(*got));
    if (!status.ok()) return status;
  }
  if ((*bytes)->cut_short())
    return absl::InvalidArgumentError("the compressed file breaks off or is damaged");
  if (::lseek(fd, 0, SEEK_SET) < 0) return absl::ErrnoToStatus(errno, "cannot read the trace");
  return plain;
}

}  // namespace gordian
