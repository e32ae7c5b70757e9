// SPDX-License-Identifier: Apache-2.0
#include "recorder/probes/probe_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kMostMapsBytes = 16u << 20;

// The process that holds a lock on the file, by this machine's pids; 0 if no process does.
int32_t LockHolder(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid > 0 ? lock.l_pid : 0;
}

// "begin-end perms offset major:minor inode path", one line per mapping.
bool Maps(const SystemPaths& paths, int32_t pid, const struct stat& file) {
  const auto maps = ReadSmallFile(absl::StrCat(paths.proc, "/", pid, "/maps"), kMostMapsBytes);
  if (!maps) return false;
  const std::string device = absl::StrFormat("%02x:%02x", major(file.st_dev), minor(file.st_dev));
  std::string_view text = *maps;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    for (int field = 0; field < 3; ++field) TakeField(line);
    const std::string_view line_device = TakeField(line);
    if (line_device == device && ParseNumber<uint64_t>(TakeField(line)) == file.st_ino) return true;
  }
  return false;
}

std::optional<uint32_t> UidOf(const SystemPaths& paths, int32_t pid) {
  const auto status = ReadSmallFile(absl::StrCat(paths.proc, "/", pid, "/status"));
  std::string_view text = status ? std::string_view(*status) : std::string_view();
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with("Uid:")) continue;
    TakeField(line);
    return ParseNumber<uint32_t>(TakeField(line));
  }
  return std::nullopt;
}

}  // namespace

bool HoldsLock(const ProbeFile& file, int32_t pid) { return LockHolder(file.fd()) == pid; }

bool HasMapped(const SystemPaths& paths, const ProbeFile& file, int32_t pid) {
  struct stat status {};
  return fstat(file.fd(), &status) == 0 && Maps(paths, pid, status);
}

std::optional<ProbeOwner> FindProbeOwner(const SystemPaths& paths, const ProbeFile& file,
                                         const ProcessThreads& threads) {
  if (const int32_t holder = LockHolder(file.fd()); holder != 0) {
    return ProbeOwner{.pid = holder, .alive = true};
  }
  struct stat status {};
  if (fstat(file.fd(), &status) != 0) return std::nullopt;
  const int32_t told_pid = file.header().pid;
  if (Maps(paths, told_pid, status)) return ProbeOwner{.pid = told_pid, .alive = true};
  for (const auto& ended : threads.RecentlyEnded(told_pid)) {
    if (status.st_uid == 0 || UidOf(paths, ended.parent_pid) == status.st_uid) {
      return ProbeOwner{.pid = ended.pid, .alive = false};
    }
  }
  return std::nullopt;
}

}  // namespace gordian
