// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kMostCgroups = 64 << 10;  // known at once; more are told as unknown
constexpr int kDeepest = 64;
constexpr int kKernfsHandle = 0xfe;  // FILEID_KERNFS: the handle is the 64-bit id alone

std::string_view AsStd(const std::string& text) { return text; }

// mountinfo writes blank, tab, newline and backslash as \OOO.
std::string UnescapeMount(std::string_view text) {
  const auto is_octal = [](char digit) { return digit >= '0' && digit <= '7'; };
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text[at] == '\\' && at + 3 < text.size() && is_octal(text[at + 1]) &&
                         is_octal(text[at + 2]) && is_octal(text[at + 3]);
    if (!escaped) {
      plain += text[at];
      continue;
    }
    plain += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 +
                               (text[at + 3] - '0'));
    at += 3;
  }
  return plain;
}

bool HasOption(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(std::min(options.size(), end + 1));
  }
  return false;
}

// The mount of that type, with that option if it is not empty. A line: "id parent major:minor ROOT
// MOUNT options [optional…] - TYPE source options". A mount of the whole tree is preferred over one
// of a part of it.
std::optional<std::string> FindMount(const SystemPaths& paths, std::string_view type,
                                     std::string_view option) {
  const std::optional<std::string> text =
      ReadSmallFile(paths.proc + "/self/mountinfo", /*max_bytes=*/16 << 20);
  std::string_view rest = text ? AsStd(*text) : std::string_view();
  std::optional<std::string> partial;
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    const size_t separator = line.find(" - ");
    if (separator == line.npos) continue;
    std::string_view after = line.substr(separator + 3);
    if (TakeField(after) != type) continue;
    TakeField(after);
    if (!option.empty() && !HasOption(TakeField(after), option)) continue;
    for (int field = 0; field < 3; ++field) TakeField(line);
    const std::string_view root = TakeField(line);
    const std::string mount = UnescapeMount(TakeField(line));
    if (root == "/") return mount;
    if (!partial) partial = mount;
  }
  return partial;
}

}  // namespace

std::optional<std::string> FindCgroup2Mount(const SystemPaths& paths) {
  return FindMount(paths, "cgroup2", "");
}

std::optional<std::string> FindCgroup1Mount(const SystemPaths& paths, std::string_view controller) {
  return FindMount(paths, "cgroup", controller);
}

CgroupTable::CgroupTable(const SystemPaths& paths) {
  const std::optional<std::string> mount = FindCgroup2Mount(paths);
  if (!mount) return;
  mount_ = *mount;
  mount_fd_ = open(mount_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct statfs filesystem {};
  handles_work_ = mount_fd_ >= 0 && fstatfs(mount_fd_, &filesystem) == 0 &&
                  filesystem.f_type == CGROUP2_SUPER_MAGIC;
  Refresh();
}

CgroupTable::~CgroupTable() {
  if (mount_fd_ >= 0) close(mount_fd_);
}

void CgroupTable::Learn(uint64_t id, std::string_view path) {
  const auto found = paths_.find(id);
  if (found != paths_.end()) {
    found->second = path;
  } else if (paths_.size() < kMostCgroups) {
    paths_.emplace(id, path);
  }
}

void CgroupTable::Refresh() {
  if (mount_fd_ >= 0) Walk("/", 0);
}

// Depth first. Ends: the depth is bounded, links are not followed, and a tree has no circles.
void CgroupTable::Walk(const std::string& path, int depth) {
  const std::string folder = mount_ + path;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  if (!directory || depth > kDeepest) return;
  struct stat status {};
  if (fstat(dirfd(directory.get()), &status) == 0) Learn(status.st_ino, path);
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
    Walk((depth == 0 ? "/" : path + "/") + std::string(name), depth + 1);
  }
}

// True if the kernel answered, whether there is such a cgroup or not.
bool CgroupTable::OpenById(uint64_t id) {
  struct {
    file_handle head;
    uint64_t id;
  } handle{};
  handle.head.handle_bytes = sizeof(id);
  handle.head.handle_type = kKernfsHandle;
  memcpy(handle.head.f_handle, &id, sizeof(id));
  const int fd = open_by_handle_at(mount_fd_, &handle.head, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ESTALE || errno == ENOENT;
  char target[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t bytes = readlink(link.c_str(), target, sizeof(target));
  close(fd);
  if (bytes <= 0 || bytes == static_cast<ssize_t>(sizeof(target))) return false;
  std::string_view path(target, bytes);
  if (!path.starts_with(mount_)) return false;  // outside of a mount of a part of the tree
  path.remove_prefix(mount_ == "/" ? 0 : mount_.size());
  Learn(id, path.empty() ? "/" : path);
  return true;
}

std::string_view CgroupTable::PathOf(uint64_t id) {
  if (mount_fd_ < 0) return {};
  const auto known = paths_.find(id);
  if (known != paths_.end()) return known->second;
  if (!handles_work_ || !OpenById(id)) {
    handles_work_ = false;
    Refresh();
  }
  const auto found = paths_.find(id);
  if (found != paths_.end()) return found->second;
  Learn(id, "");  // ids are not given twice: an id that is not there now never will be
  return {};
}

absl::StatusOr<uint64_t> CgroupTable::IdOf(std::string_view path) {
  const auto as_absl = [](std::string_view text) {
    return absl::string_view(text.data(), text.size());
  };
  if (mount_fd_ < 0) {
    return absl::FailedPreconditionError(
        "no cgroup2 file system is mounted: mount one (mount -t cgroup2 none /sys/fs/cgroup)");
  }
  std::string_view below = path;
  if (below.starts_with(mount_) && (below.size() == mount_.size() || below[mount_.size()] == '/')) {
    below.remove_prefix(mount_.size());
  }
  if (("/" + std::string(below) + "/").find("/../") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("the cgroup ", as_absl(path), " must not contain '..'"));
  }
  std::string clean =
      "/" + std::string(below.substr(std::min(below.size(), below.find_first_not_of('/'))));
  while (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  struct stat status {};
  if (stat((mount_ + clean).c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return absl::NotFoundError(absl::StrCat("there is no cgroup ", as_absl(path), " below ", mount_,
                                            ": see systemd-cgls, or /proc/PID/cgroup"));
  }
  Learn(status.st_ino, clean);
  return status.st_ino;
}

std::vector<std::string> CgroupTable::Paths() const {
  std::vector<std::string> paths;
  for (const auto& [id, path] : paths_)
    if (!path.empty()) paths.push_back(path);
  return paths;
}

void CgroupTable::Fill(pb::Session& session) const {
  session.clear_cgroups();
  for (const auto& [id, path] : paths_) {
    if (path.empty()) continue;
    pb::Cgroup* cgroup = session.add_cgroups();
    cgroup->set_id(id);
    cgroup->set_path(path);
  }
}

}  // namespace gordian
