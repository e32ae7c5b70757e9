// SPDX-License-Identifier: Apache-2.0
#include "recorder/probes/recording_mark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/gordian_probe_layout.h"

namespace gordian {
namespace {

constexpr int kMarkFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
// The last recorder may take away the mark that this one has just opened, and then another may.
constexpr int kTries = 3;

bool ProcessesBelieve(const FileHandle& mark) {
  struct stat status {};
  return mark.is_open() && fstat(mark.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_uid == 0 || status.st_uid == geteuid());
}

}  // namespace

bool RecordingMark::IsInPlace(const FileHandle& directory) const {
  struct stat ours {};
  struct stat named {};
  return file_.is_open() && fstat(file_.get(), &ours) == 0 &&
         fstatat(directory.get(), GORDIAN_PROBE_MARK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

void RecordingMark::Open(const FileHandle& directory) {
  const int fd = directory.get();
  file_ = FileHandle(openat(fd, GORDIAN_PROBE_MARK, kMarkFlags));
  if (!ProcessesBelieve(file_)) {
    unlinkat(fd, GORDIAN_PROBE_MARK, 0);
    file_ = FileHandle(openat(fd, GORDIAN_PROBE_MARK, kMarkFlags | O_CREAT | O_EXCL, 0644));
    if (file_.is_open() && fchmod(file_.get(), 0644) != 0) file_.Close();
  }
  // Never waits: any user may hold a lock. Without one this recorder's mark may be taken away too
  // early, and is made anew when it asks again.
  if (file_.is_open()) (void)flock(file_.get(), LOCK_SH | LOCK_NB);
}

void RecordingMark::Ask(const FileHandle& directory, uint64_t until_ns) {
  for (int i = 0; i < kTries && !IsInPlace(directory); ++i) Open(directory);
  if (!file_.is_open()) return;
  uint64_t now_until_ns = 0;
  const bool read =
      pread(file_.get(), &now_until_ns, sizeof now_until_ns, 0) == sizeof now_until_ns;
  if (read && now_until_ns >= until_ns && now_until_ns - until_ns <= GORDIAN_PROBE_LONGEST_NS)
    return;
  (void)!pwrite(file_.get(), &until_ns, sizeof until_ns, 0);
}

bool RecordingMark::End(const FileHandle& directory) {
  const bool is_last = !file_.is_open() || flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
  if (is_last && IsInPlace(directory)) unlinkat(directory.get(), GORDIAN_PROBE_MARK, 0);
  file_.Close();
  return is_last;
}

}  // namespace gordian
