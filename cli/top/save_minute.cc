// SPDX-License-Identifier: Apache-2.0
#include "cli/top/save_minute.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "trace/cut_session.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

constexpr uint64_t kMinuteNs = 60 * kNsPerSecond;

// top-db1-20261124T063921Z
std::string FolderName(const LiveMoment& moment) {
  std::string name = "top";
  for (const std::string& part : {moment.frame.session(), moment.frame.at()}) {
    if (part.empty()) continue;
    name += '-';
    for (const char byte : part)
      if (std::isalnum(static_cast<unsigned char>(byte)) != 0) name += byte;
  }
  if (moment.frame.at().empty())
    absl::StrAppend(&name, "-", static_cast<uint64_t>(std::max(moment.frame.to_s(), 0.0)));
  return name;
}

absl::Status CutNode(const LiveNodeTime& node, uint64_t length_ns, const std::string& out) {
  const uint64_t to_ns = node.until_clock_ns;
  return CutSession(node.directory, to_ns - std::min(to_ns, length_ns), to_ns, out).status();
}

}  // namespace

absl::Status CutLastOf(const std::vector<LiveNodeTime>& nodes, uint64_t length_ns,
                       const std::string& out) {
  if (nodes.size() == 1 && nodes[0].name.empty()) return CutNode(nodes[0], length_ns, out);
  if (auto status = MakeEmptyDirectory(out); !status.ok()) return status;
  absl::Status failure;
  for (const LiveNodeTime& node : nodes)
    if (node.until_clock_ns != 0)
      failure.Update(CutNode(node, length_ns, absl::StrCat(out, "/", node.name)));
  if (failure.ok()) return failure;
  // Half of the nodes would pass for all.
  std::error_code error;
  std::filesystem::remove_all(out, error);
  return failure;
}

absl::StatusOr<std::string> SaveMinute(const LiveMoment& moment, const std::string& beside) {
  const std::string name = FolderName(moment);
  const std::string out = beside == "." ? name : absl::StrCat(beside, "/", name);
  if (auto status = CutLastOf(moment.nodes, kMinuteNs, out); !status.ok()) return status;
  return out;
}

}  // namespace gordian
