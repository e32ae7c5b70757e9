// SPDX-License-Identifier: Apache-2.0
#include "symbols/debug_package.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace gordian {
namespace {

constexpr std::string_view kSuffix = ".list";
constexpr char kLists[] = "/var/lib/dpkg/info";
constexpr uint64_t kMaxListBytes = 16 << 20;
constexpr size_t kMaxLists = 100'000;

// The lines that would tell of each path. dpkg notes files under the name that their package gives
// them: /lib/… although /lib is a link to /usr/lib.
absl::flat_hash_map<std::string, std::string> PathsByLine(const std::vector<std::string>& paths) {
  absl::flat_hash_map<std::string, std::string> by_line;
  for (const std::string& path : paths) {
    by_line.emplace(path, path);
    if (path.starts_with("/usr/")) by_line.emplace(path.substr(4), path);
  }
  return by_line;
}

// Of redis-server.list, libc6:amd64.list.
std::string DebugPackageOfList(std::string_view list) {
  const std::string package(list.substr(0, list.find_first_of(":.")));
  // The C library's symbols are a package of the distribution itself; other packages' symbols lie
  // in an archive of their own.
  if (package == "libc6") return "libc6-dbg";
  return std::string(list.substr(0, std::min(list.find(':'), list.size() - kSuffix.size()))) +
         "-dbgsym";
}

}  // namespace

std::map<std::string, std::string> DebugPackagesOf(const FileTree& root,
                                                   const std::vector<std::string>& paths) {
  const absl::flat_hash_map<std::string, std::string> by_line = PathsByLine(paths);
  std::map<std::string, std::string> packages;
  for (const std::string& list : root.List(kLists, kMaxLists)) {
    if (packages.size() == paths.size()) break;
    if (!list.ends_with(kSuffix)) continue;
    const std::optional<RegularFile> file = root.Open(absl::StrCat(kLists, "/", list));
    if (!file) continue;
    bool cut = false;
    const std::string text = ReadText(file->handle.get(), kMaxListBytes, cut);
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const auto path = by_line.find(line);
      if (path != by_line.end()) packages.emplace(path->second, DebugPackageOfList(list));
    }
  }
  return packages;
}

std::vector<std::string> NotesOnStrippedFiles(const FileTree& root,
                                              const std::map<std::string, size_t>& unnamed) {
  if (unnamed.empty()) return {};
  std::vector<std::string> paths;
  paths.reserve(unnamed.size());
  for (const auto& [path, count] : unnamed) paths.push_back(path);
  const std::map<std::string, std::string> packages = DebugPackagesOf(root, paths);
  std::vector<std::string> notes;
  for (const auto& [path, count] : unnamed) {
    const auto package = packages.find(path);
    notes.push_back(
        absl::StrCat(path, " is stripped: ", count,
                     count == 1 ? " place in it has" : " places in it have", " no name. Install ",
                     package == packages.end() ? std::string("its debug symbols") : package->second,
                     ", then call `gordian symbolize`."));
  }
  return notes;
}

}  // namespace gordian
