// SPDX-License-Identifier: Apache-2.0
// Which gordian recorded each node.
#pragma once

#include <vector>

#include "analysis/recording.h"
#include "report/recorder_versions.h"

namespace gordian {

// By node of a recording of many, as their session.pb tells it. Empty for one node.
std::vector<NodeVersion> VersionsOf(const LoadedRecording& recording);

}  // namespace gordian
