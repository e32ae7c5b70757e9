// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/socket_owners.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "recorder/sources/folder.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kMostLinks = 20'000;
constexpr size_t kMostOwners = 64;

bool HasLink(const std::string& path, std::string_view wanted, size_t& links) {
  const Folder folder = OpenFolder(path);
  if (!folder) return false;
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    if (++links > kMostLinks) return false;
    char target[64];
    const ssize_t bytes = readlinkat(dirfd(folder.get()), entry->d_name, target, sizeof(target));
    if (bytes > 0 && std::string_view(target, static_cast<size_t>(bytes)) == wanted) return true;
  }
  return false;
}

}  // namespace

std::vector<uint32_t> OwnersOfSocket(const SystemPaths& paths, uint64_t inode) {
  std::vector<uint32_t> owners;
  const std::string wanted = absl::StrCat("socket:[", inode, "]");
  const Folder folder = OpenFolder(paths.proc);
  if (!folder) return owners;
  size_t links = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::optional<uint32_t> pid = ParseNumber<uint32_t>(entry->d_name);
    if (!pid || links > kMostLinks) continue;
    if (HasLink(absl::StrCat(paths.proc, "/", *pid, "/fd"), wanted, links)) owners.push_back(*pid);
    if (owners.size() == kMostOwners) break;
  }
  return owners;
}

}  // namespace gordian
