// SPDX-License-Identifier: Apache-2.0
// Nodes that different versions of gordian recorded: all are joined, and the report tells it.
#pragma once

#include <span>
#include <string>

#include "schema/report.pb.h"

namespace gordian {

struct NodeVersion {
  std::string node;
  std::string version;  // of the recorder; empty: not known
};

// "0.1.0 (n3), 1.0.0 (n0 and 4 more)"; empty if fewer than two versions are known.
std::string MixedVersionsText(std::span<const NodeVersion> nodes);

// Counts those that another version recorded than most, and names the versions.
void TellVersions(std::span<const NodeVersion> nodes, pb::Report& report);

}  // namespace gordian
