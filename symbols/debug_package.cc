// SPDX-License-Identifier: Apache-2.0
#include "symbols/debug_package.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr std::string_view kSuffix = ".list";
constexpr char kLists[] = "/var/lib/dpkg/info";
constexpr uint64_t kMaxListBytes = 16 << 20;
constexpr size_t kMaxLists = 100'000;

// dpkg notes files under the name that their package gives them: /lib/… although /lib is a link to
// /usr/lib.
std::vector<std::string> NamesOf(const std::string& path) {
  std::vector<std::string> names = {path};
  if (path.starts_with("/usr/")) names.push_back(path.substr(4));
  return names;
}

bool HasLine(std::string_view text, std::string_view line) {
  for (size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) {
    const size_t end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

bool HasAnyLine(std::string_view text, const std::vector<std::string>& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [text](const std::string& line) { return HasLine(text, line); });
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
  std::map<std::string, std::string> packages;
  for (const std::string& list : root.List(kLists, kMaxLists)) {
    if (packages.size() == paths.size()) break;
    if (!list.ends_with(kSuffix)) continue;
    const std::optional<RegularFile> file = root.Open(absl::StrCat(kLists, "/", list));
    if (!file) continue;
    bool cut = false;
    const std::string text = ReadText(file->handle.get(), kMaxListBytes, cut);
    for (const std::string& path : paths) {
      if (HasAnyLine(text, NamesOf(path))) packages.emplace(path, DebugPackageOfList(list));
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
