// SPDX-License-Identifier: Apache-2.0
// What `gordian top` and `gordian serve` follow: a recording's folder that grows, or a session of
// gordiand.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "live/live_session.h"

namespace gordian {

// Until the first second of a session is here.
inline constexpr std::chrono::nanoseconds kLongestWaitForSession = std::chrono::seconds(15);

// This process, as recordings number it. Inside of a PID namespace nobody knows how they do.
LiveObserver ThisProcess();

// Whether a name means a session: a folder is a recording; another name without a slash is a
// session, if daemons are named or one runs here.
bool MeansSession(const std::string& name, const DaemonChoice& daemons, bool names_daemon);

// The folders to follow: one recording's, or those of many nodes in one folder. A folder that is
// empty yet is one recording's.
absl::StatusOr<std::vector<LiveNodeFolder>> FoldersToFollow(const std::string& directory);

// --window: 1s to 600s, in whole seconds.
CLI::Validator WindowInNs();

// Whether a recorder still writes there, or did until some seconds ago: of many nodes, on any.
bool IsStillWritten(const std::string& directory);

}  // namespace gordian
