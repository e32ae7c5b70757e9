#include "symbols/debug_package.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

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

bool Owns(const FileTree& root, const std::string& list, const std::vector<std::string>& names) {
  const std::optional<RegularFile> file = root.Open(list);
  if (!file) return false;
  bool cut = false;
  const std::string text = ReadText(file->handle.get(), kMaxListBytes, cut);
  for (const std::string& name : names) {
    if (HasLine(text, name)) return true;
  }
  return false;
}

}  // namespace

std::string DebugPackageOf(const FileTree& root, const std::string& path) {
  const std::vector<std::string> names = NamesOf(path);
  for (const std::string& list : root.List(kLists, kMaxLists)) {
    if (!list.ends_with(".list")) continue;
    if (!Owns(root, absl::StrCat(kLists, "/", list), names)) continue;
    // libc6:amd64.list
    const std::string package = list.substr(0, list.find_first_of(":."));
    const std::string whole = list.substr(0, std::min(list.find(':'), list.size() - 5));
    // The C library's symbols are a package of the distribution itself, of whatever else they lie
    // in an archive of their own.
    return package == "libc6" ? "libc6-dbg" : whole + "-dbgsym";
  }
  return "";
}

std::string NoteOnStrippedFile(const FileTree& root, const std::string& path, size_t unnamed) {
  const std::string package = DebugPackageOf(root, path);
  return absl::StrCat(path, " is stripped: ", unnamed, unnamed == 1 ? " place" : " places",
                      " in it ", unnamed == 1 ? "has" : "have", " no name. ",
                      package.empty() ? std::string("Install its debug symbols")
                                      : absl::StrCat("Install ", package),
                      ", then call `gordian symbolize`.");
}

}  // namespace gordian
