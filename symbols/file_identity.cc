// SPDX-License-Identifier: Apache-2.0
#include "symbols/file_identity.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "symbols/file_tree.h"

namespace gordian {
namespace {

constexpr unsigned kLoopDevices = 7;
constexpr unsigned kNoDevice = 0;  // tmpfs, overlayfs, btrfs: numbers by order of mounting

constexpr uint64_t kMaxMountsBytes = 16 << 20;

// Not all of them are in linux/magic.h.
constexpr uint32_t kKernelsOwn[] = {EXT4_SUPER_MAGIC,     XFS_SUPER_MAGIC,
                                    BTRFS_SUPER_MAGIC,    F2FS_SUPER_MAGIC,
                                    TMPFS_MAGIC,          OVERLAYFS_SUPER_MAGIC,
                                    SQUASHFS_MAGIC,       0xE0F5E1E2 /* erofs */,
                                    0x2FC12FC1 /* zfs */, 0xCA451A4E /* bcachefs */};

int64_t TimeNs(const timespec& time) { return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec; }

std::string ReadAll(const std::string& path, uint64_t max_bytes) {
  const std::optional<RegularFile> file = OpenRegularFile(path);
  bool cut = false;
  return file ? ReadText(file->handle.get(), max_bytes, cut) : std::string();
}

std::string ReadBootId(const std::string& proc) {
  const std::string text = ReadAll(proc + "/sys/kernel/random/boot_id", 64);
  return text.substr(0, text.find('\n'));
}

// Whether the file's mount, or another one of the same file system, is among the mounts of this
// process or of init. Where users mount for themselves, they have mounts apart. The open file keeps
// the numbers of its mount and device from being given to others: so look only now.
bool IsOnRootsMount(int file, dev_t device, const std::string& proc) {
  struct statx more = {};
  const bool has_mount = ::statx(file, "", AT_EMPTY_PATH, STATX_MNT_ID, &more) == 0 &&
                         (more.stx_mask & STATX_MNT_ID) != 0;
  const std::string its_device = absl::StrCat(major(device), ":", minor(device));
  for (const char* process : {"/self", "/1"}) {
    const std::string text = ReadAll(absl::StrCat(proc, process, "/mountinfo"), kMaxMountsBytes);
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      // Number, parent's number, device, …
      const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(' ', 3));
      uint64_t mount = 0;
      if (fields.size() < 4 || !absl::SimpleAtoi(fields[0], &mount)) continue;
      if (fields[2] == its_device || (has_mount && mount == more.stx_mnt_id)) return true;
    }
  }
  return false;
}

}  // namespace

std::string FileIdentity(int file, const std::string& proc) {
  struct stat status = {};
  struct statfs system = {};
  if (::fstat(file, &status) != 0 || ::fstatfs(file, &system) != 0) return {};
  if (!S_ISREG(status.st_mode) || status.st_nlink == 0) return {};
  const auto kind = static_cast<uint32_t>(system.f_type);
  if (std::find(std::begin(kKernelsOwn), std::end(kKernelsOwn), kind) == std::end(kKernelsOwn))
    return {};
  if (major(status.st_dev) == kLoopDevices) return {};
  std::string boot;
  if (major(status.st_dev) == kNoDevice) {
    boot = ReadBootId(proc);
    if (boot.empty() || !IsOnRootsMount(file, status.st_dev, proc)) return {};
  }
  return absl::StrFormat("%x:%x %x.%d %d %s", status.st_dev, kind, status.st_ino, status.st_size,
                         TimeNs(status.st_ctim), boot);
}

}  // namespace gordian
