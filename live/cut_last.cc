// SPDX-License-Identifier: Apache-2.0
#include "live/cut_last.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "trace/cut_session.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

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

}  // namespace gordian
