// SPDX-License-Identifier: Apache-2.0
// The recorded machine: its host, disks, interfaces and interrupts.
#pragma once

#include <string>

#include "recorder/sources/system_paths.h"
#include "schema/session.pb.h"

namespace gordian {

// Of the running kernel; empty if it cannot be read.
std::string ReadBootId(const SystemPaths& paths);

// Fills host, disks, interfaces and irqs of `session`, replacing old contents. Fields that cannot
// be read stay empty.
void FillHost(const SystemPaths& paths, pb::Session& session);

}  // namespace gordian
