// The order of the findings.
#pragma once

#include <vector>

#include "analyzer/findings/findings.h"
#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/scope.h"
#include "analyzer/findings/target.h"

namespace gordian {

// Adds what the limits' own members suffer from: starvation, and sleep within a knot.
//
// Then orders: limits, then what perhaps only idle threads wait for, then background, then what is
// apart from the target. Among limits first the one that holds up most work, which is the CPU time
// and time ready to run of all threads of the target that wait for it, directly or through others;
// then the larger share. A member's suffering stands behind its limit, or before it where its share
// is the larger or the target itself keeps all CPUs busy. Sleepers and peers that hold up hardly
// any work are left out, and of more than kMostLimits limits only those with the largest shares are
// looked at.
inline constexpr size_t kMostLimits = 32;
std::vector<Limit> RankLimits(const Measures& measures, const Scope& scope, const Target& target,
                              std::vector<Limit> limits);

}  // namespace gordian
