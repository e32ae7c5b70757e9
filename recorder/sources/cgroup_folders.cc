// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cgroup_folders.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr size_t kMostFolders = 4'000;  // a node of Kubernetes has some hundreds
constexpr size_t kMostPids = 4'096;
constexpr size_t kDeepestFolder = 64;

// Calls it with the name of each folder within.
template <typename Function>
void ForEachFolder(const std::string& folder, Function function) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code gone;
    if (entries->symlink_status(gone).type() == std::filesystem::file_type::directory)
      function(entries->path().filename().string());
  }
}

// Depth first. Ends, as folders are no links and their depth and number are limited.
class Walk {
 public:
  Walk(const CgroupTree& tree, const std::function<void(const std::string&)>& look)
      : tree_(tree), look_(look) {}

  void From(const std::string& path, size_t depth) {
    if (++folders_ > kMostFolders) return;
    if (!path.empty()) look_(path);
    if (depth == kDeepestFolder) return;
    ForEachFolder(tree_.mount + path,
                  [&](const std::string& name) { From(path + "/" + name, depth + 1); });
  }

 private:
  const CgroupTree& tree_;
  const std::function<void(const std::string&)>& look_;
  size_t folders_ = 0;
};

// Ends like the walk above.
void AddPids(const std::string& folder, size_t depth, std::vector<uint32_t>& pids) {
  const std::optional<std::string> text = ReadSmallFile(folder + "/cgroup.procs");
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty() && pids.size() < kMostPids) {
    std::string_view line = TakeLine(rest);
    const std::optional<uint64_t> pid = TakeNumber(line);
    if (pid && *pid <= UINT32_MAX) pids.push_back(static_cast<uint32_t>(*pid));
  }
  if (depth == kDeepestFolder || pids.size() == kMostPids) return;
  ForEachFolder(folder,
                [&](const std::string& name) { AddPids(folder + "/" + name, depth + 1, pids); });
}

}  // namespace

void ForEachCgroup(const CgroupTree& tree, const std::function<void(const std::string&)>& look) {
  Walk(tree, look).From("", 0);
}

std::vector<uint32_t> PidsOfCgroup(const std::string& folder) {
  std::vector<uint32_t> pids;
  AddPids(folder, 0, pids);
  return pids;
}

}  // namespace gordian
