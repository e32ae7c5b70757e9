// SPDX-License-Identifier: Apache-2.0
// Recordings at random whose events contradict each other, for property tests (rapidcheck).
#pragma once

#include <string>

namespace gordian {

// Few threads and locks on three CPUs, with births, deaths, losses, probes and pauses of any kind,
// in small windows of time. `directory` must not exist.
void WriteQuarrel(const std::string& directory);

// Any events, in any order of time, as a file might hold them.
void WriteAnything(const std::string& directory);

}  // namespace gordian
