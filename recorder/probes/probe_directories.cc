// SPDX-License-Identifier: Apache-2.0
#include "recorder/probes/probe_directories.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kMostDirectories = 1024;
constexpr size_t kMostMountinfoBytes = 1u << 20;

struct Mount {
  std::string_view point;
  std::string_view type;
  dev_t device = 0;
};

// "id parent major:minor root point options … - type source …"
Mount ParseMount(std::string_view line) {
  Mount mount;
  TakeField(line);
  TakeField(line);
  const std::string_view device = TakeField(line);
  TakeField(line);
  mount.point = TakeField(line);
  const size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return {};
  line.remove_prefix(dash + 3);
  mount.type = TakeField(line);
  const size_t colon = std::min(device.find(':'), device.size() - 1);
  const auto major_number = ParseNumber<uint32_t>(device.substr(0, colon));
  const auto minor_number = ParseNumber<uint32_t>(device.substr(colon + 1));
  if (!major_number || !minor_number) return {};
  mount.device = makedev(*major_number, *minor_number);
  return mount;
}

bool AnswersAtOnce(std::string_view type) {
  constexpr std::array<std::string_view, 11> kTypes = {"overlay", "ext2",  "ext3",    "ext4",
                                                       "xfs",     "btrfs", "tmpfs",   "devtmpfs",
                                                       "rootfs",  "zfs",   "squashfs"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::optional<uint64_t> MountNamespaceOf(const SystemPaths& paths, int32_t pid) {
  std::array<char, 64> text{};
  const std::string path = absl::StrCat(paths.proc, "/", pid, "/ns/mnt");
  const ssize_t bytes = readlink(path.c_str(), text.data(), text.size());
  std::string_view link(text.data(), bytes > 0 ? static_cast<size_t>(bytes) : 0);  // "mnt:[number]"
  if (link.size() < 7) return std::nullopt;
  return ParseNumber<uint64_t>(link.substr(5, link.size() - 6));
}

// Symbolic links of the namespace's own making would lead into ours: no link is followed.
FileHandle OpenBelow(const FileHandle& root, const char* path) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH;
  return FileHandle(static_cast<int>(syscall(SYS_openat2, root.get(), path, &how, sizeof how)));
}

}  // namespace

dev_t SharedMemoryDevice(std::string_view mountinfo) {
  Mount shared;
  while (!mountinfo.empty()) {
    const Mount mount = ParseMount(TakeLine(mountinfo));
    // A later mount hides an earlier one of the same place.
    if (mount.point == "/dev/shm") shared = mount;
    if ((mount.point == "/" || mount.point == "/dev") && !AnswersAtOnce(mount.type)) return 0;
  }
  return shared.type == "tmpfs" ? shared.device : 0;
}

ProbeDirectories::ProbeDirectories(SystemPaths paths, std::string main_path)
    : paths_(std::move(paths)), main_path_(std::move(main_path)) {}

void ProbeDirectories::Add(FileHandle handle, bool is_main) {
  struct stat status {};
  if (!handle.is_open() || fstat(handle.get(), &status) != 0) return;
  for (ProbeDirectory& known : all_) {
    if (known.device != status.st_dev) continue;
    known.present = true;
    return;
  }
  if (all_.size() >= kMostDirectories) return;
  ProbeDirectory& added = all_.emplace_back();
  added.handle = std::move(handle);
  added.device = status.st_dev;
  added.is_main = is_main;
}

void ProbeDirectories::AddNamespaceOf(int32_t pid) {
  const auto mountinfo =
      ReadSmallFile(absl::StrCat(paths_.proc, "/", pid, "/mountinfo"), kMostMountinfoBytes);
  const dev_t device = mountinfo ? SharedMemoryDevice(*mountinfo) : 0;
  if (device == 0) return;
  const auto known = std::find_if(all_.begin(), all_.end(),
                                  [&](const auto& each) { return each.device == device; });
  if (known != all_.end()) {
    known->present = true;
    return;
  }
  const std::string root_path = absl::StrCat(paths_.proc, "/", pid, "/root");
  const FileHandle root(open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return;
  FileHandle directory = OpenBelow(root, "dev/shm");
  struct stat status {};
  if (directory.is_open() && fstat(directory.get(), &status) == 0 && status.st_dev == device) {
    Add(std::move(directory), false);
  }
}

void ProbeDirectories::Refresh() {
  for (ProbeDirectory& directory : all_) directory.present = false;
  Add(FileHandle(open(main_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), true);
  std::set<uint64_t> seen;
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir(paths_.proc.c_str()), closedir);
  if (const auto own = MountNamespaceOf(paths_, getpid())) seen.insert(*own);
  while (const dirent* entry = processes ? readdir(processes.get()) : nullptr) {
    const auto pid = ParseNumber<int32_t>(entry->d_name);
    if (!pid) continue;
    const auto mount_namespace = MountNamespaceOf(paths_, *pid);
    if (mount_namespace && seen.insert(*mount_namespace).second) AddNamespaceOf(*pid);
  }
  std::erase_if(all_, [](const ProbeDirectory& directory) { return !directory.present; });
}

}  // namespace gordian
