// SPDX-License-Identifier: Apache-2.0
// The process that speaks through a probe file: the kernel decides it, never the file.
#pragma once

#include <cstdint>
#include <optional>

#include "recorder/probes/probe_file.h"
#include "recorder/probes/process_threads.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

// The process that speaks through a file, in this order of proof:
//  1. it holds a write lock on the file, which only it can, and which ends with it (or its exec);
//  2. it has the file mapped (a program that closes all descriptors loses the lock);
//  3. it ended a moment ago, before a look: then the file must be root's or of the same uid as
//     the process's parent, so that no user can speak for another user's process.
struct ProbeOwner {
  int32_t pid = 0;  // of this machine
  bool alive = false;
};

std::optional<ProbeOwner> FindProbeOwner(const SystemPaths& paths, const ProbeFile& file,
                                         const ProcessThreads& threads);

// Whether the known owner still lives and still has this file. The first answer is cheap, the
// second is not.
bool HoldsLock(const ProbeFile& file, int32_t pid);
bool HasMapped(const SystemPaths& paths, const ProbeFile& file, int32_t pid);

}  // namespace gordian
