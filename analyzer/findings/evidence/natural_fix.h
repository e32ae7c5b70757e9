// SPDX-License-Identifier: Apache-2.0
// The first thing to try against a finding, as a change that a replay can make (gordian whatif).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"
#include "analyzer/findings/evidence/fix_change.h"

namespace gordian {

struct NaturalFix {
  FixChange change = FixChange::kAsync;
  std::optional<uint32_t> who;   // a vertex
  std::optional<uint32_t> whom;  // the vertex it waits for
  double amount = 0;             // a factor, or how many
  std::string node;              // of CPUs, where there are several nodes
  // A sentence that the finding's own advice lacks. The report tells it if the replay shows a gain.
  std::string advice;
  // The change takes waiting away. Only such gains can be compared with each other; half the work
  // is a yardstick.
  bool of_wait = true;
  // To be tried only if many wakes of `who` are for nothing.
  bool if_woken_for_nothing = false;
};

struct NaturalFixes {
  std::vector<NaturalFix> fixes;  // in the order in which they are worth trying
  std::string none_because;       // without any
};

// Helpers that the kinds' fixes share.
NaturalFix MoreInFlight(uint32_t waiter);
NaturalFix MoreThreads(const Case& it, uint32_t vertex);  // as many again
NaturalFix MoreClients(uint32_t outsider);
// Asked only if many wakes of `woken` are for nothing.
NaturalFix FewerWakes(uint32_t woken);
NaturalFixes NoFix(std::string because);
NaturalFixes NoFixOfLink(const Case& it, uint32_t link);

// A member that is not of the target.
bool IsMemberOutside(const Case& it, uint32_t vertex);
// Processes outside of the target that it began itself: it may begin more of them.
bool AreHelpersOfTarget(const Case& it, uint32_t vertex);
size_t ThreadsOf(const Case& it, uint32_t vertex);
// Of all its threads' lives.
double ShareOfLife(const Case& it, uint32_t vertex, double time_ns);

}  // namespace gordian
