// SPDX-License-Identifier: Apache-2.0
#include "report/recorder_versions.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/report_counters.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using NodesByVersion = std::map<std::string, std::vector<const NodeVersion*>>;

NodesByVersion ByVersion(std::span<const NodeVersion> nodes) {
  NodesByVersion by_version;
  for (const NodeVersion& node : nodes)
    if (!node.version.empty()) by_version[node.version].push_back(&node);
  return by_version;
}

}  // namespace

std::string MixedVersionsText(std::span<const NodeVersion> nodes) {
  const NodesByVersion by_version = ByVersion(nodes);
  if (by_version.size() < 2) return "";
  std::string told;
  for (const auto& [version, of_version] : by_version) {
    absl::StrAppend(&told, told.empty() ? "" : ", ", CleanText(version), " (",
                    CleanText(of_version.front()->node));
    if (of_version.size() > 1) absl::StrAppend(&told, " and ", of_version.size() - 1, " more");
    absl::StrAppend(&told, ")");
  }
  return told;
}

void TellVersions(std::span<const NodeVersion> nodes, pb::Report& report) {
  const NodesByVersion by_version = ByVersion(nodes);
  if (by_version.size() < 2) return;
  size_t all = 0;
  size_t most = 0;
  for (const auto& [version, of_version] : by_version) {
    all += of_version.size();
    most = std::max(most, of_version.size());
  }
  AddCounter("nodes_of_other_versions", all - most, report).add_examples(MixedVersionsText(nodes));
}

}  // namespace gordian
