// SPDX-License-Identifier: Apache-2.0
#include "symbols/file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

int OpenBelow(int root, const char* path) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof(how)));
}

// `place` only names the file (O_PATH); the file is looked at before it is opened.
std::optional<RegularFile> OpenPlace(const FileHandle& place) {
  struct stat status = {};
  if (!place.is_open() || ::fstat(place.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  RegularFile file;
  file.handle = FileHandle(::open(absl::StrCat("/proc/self/fd/", place.get()).c_str(),
                                  O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.handle.is_open()) return {};
  file.size_bytes = static_cast<uint64_t>(status.st_size);
  file.device = status.st_dev;
  file.inode = status.st_ino;
  file.owner = status.st_uid;
  file.change_time_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
  return file;
}

}  // namespace

std::optional<RegularFile> OpenRegularFile(const std::string& path) {
  return OpenPlace(FileHandle(::open(path.c_str(), O_PATH | O_CLOEXEC)));
}

FileTree::FileTree(const std::string& root)
    : root_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

FileTree FileTree::OfProcess(const std::string& process_folder) {
  const std::string link = process_folder + "/root";
  FileTree tree(link);
  char way[PATH_MAX];
  const ssize_t bytes = ::readlink(link.c_str(), way, sizeof(way));
  if (bytes > 1 && way[0] == '/') tree.way_to_root_.assign(way, static_cast<size_t>(bytes));
  return tree;
}

const char* FileTree::BelowRoot(const std::string& path) const {
  const size_t way = way_to_root_.size();
  const bool leads_through_it =
      way > 0 && path.size() > way && path[way] == '/' && path.starts_with(way_to_root_);
  return path.c_str() + (leads_through_it ? way : 0);
}

std::optional<RegularFile> FileTree::Open(const std::string& path) const {
  if (!exists() || path.empty()) return {};
  return OpenPlace(FileHandle(OpenBelow(root_.get(), BelowRoot(path))));
}

std::vector<std::string> FileTree::List(const std::string& folder, size_t most) const {
  if (!exists()) return {};
  const FileHandle place(OpenBelow(root_.get(), BelowRoot(folder)));
  if (!place.is_open()) return {};
  DIR* const opened = ::opendir(absl::StrCat("/proc/self/fd/", place.get()).c_str());
  if (opened == nullptr) return {};
  std::vector<std::string> names;
  for (const dirent* entry = ::readdir(opened); entry != nullptr && names.size() < most;
       entry = ::readdir(opened)) {
    names.emplace_back(entry->d_name);
  }
  ::closedir(opened);
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadText(int file, uint64_t max_bytes, bool& cut) {
  constexpr size_t kStepBytes = 256 << 10;
  std::string text;
  cut = false;
  // Ends: each turn reads something or leaves, and the limit is finite.
  for (;;) {
    const size_t start = text.size();
    if (start > max_bytes) {
      text.resize(max_bytes);
      cut = true;
      return text;
    }
    text.resize(start + std::min<uint64_t>(kStepBytes, max_bytes + 1 - start));
    ssize_t got = 0;
    do {
      got = ::pread(file, text.data() + start, text.size() - start, static_cast<off_t>(start));
    } while (got < 0 && errno == EINTR);
    text.resize(start + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) return text;
  }
}

}  // namespace gordian
