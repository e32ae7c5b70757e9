// SPDX-License-Identifier: Apache-2.0
// Advice on a knot, in words and as changes that a replay can make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"
#include "analyzer/findings/evidence/natural_fix.h"

namespace gordian {

// Where threads of its own process mostly wait for one that asks somebody outside: likely for a
// lock that it holds meanwhile. Then more requests at a time alone are of no use.
std::optional<std::string> AdviceOnHolding(const Case& it, uint32_t asker);

// Follows from the edge to attack.
std::vector<std::string> KnotAdvice(const Case& it);

// - Waits for a disk: the waiter goes on meanwhile.
// - Waits for another thread: a queue between them; where a member waits for a disk, that wait is
//   gone; more of those threads; twice as many requests under way.
// - Waits for a thread outside: the latter.
// - Waits of alike threads for each other: no wakes for nothing; no time for the disk, or no lock;
//   one thread works for all that wait.
NaturalFixes KnotFixes(const Case& it);

}  // namespace gordian
