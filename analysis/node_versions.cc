// SPDX-License-Identifier: Apache-2.0
#include "analysis/node_versions.h"

#include <algorithm>

#include "trace/session_folder.h"

namespace gordian {

std::vector<NodeVersion> VersionsOf(const LoadedRecording& recording) {
  std::vector<NodeVersion> versions;
  if (!recording.nodes) return versions;
  const std::vector<JoinedNode>& nodes = recording.nodes->nodes;
  for (size_t node = 0; node < std::min(nodes.size(), recording.directories.size()); ++node) {
    NodeVersion& version = versions.emplace_back(NodeVersion{.node = nodes[node].name});
    const auto file = ReadSessionFile(recording.directories[node]);
    if (file.ok() && file->session) version.version = file->session->recorder_version();
  }
  return versions;
}

}  // namespace gordian
