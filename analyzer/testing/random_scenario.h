// SPDX-License-Identifier: Apache-2.0
// Small recordings at random, as scenarios (scenario.h).
#pragma once

#include <cstdint>
#include <string>

namespace gordian {

// A few threads on three CPUs that wait for each other, for disks, interfaces and interrupts, spin,
// have short-lived children, and now and then contradict themselves. Much happens at the same time.
std::string RandomScenario(uint32_t seed, int steps);

}  // namespace gordian
