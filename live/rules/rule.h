// SPDX-License-Identifier: Apache-2.0
// A rule: what must hold of live frames, for how long, and what is done then. gordian-rules(5)
// describes how people write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time_units.h"

namespace gordian {

enum class RuleQuantity {
  kShare,          // of the first finding; of a kind, if `name` is one
  kGain,           // upper bound of the throughput without the first finding
  kParticipation,  // of `name`
  kRun,            // CPUs that `name` used on average
  kWait,           // of `name` for `other`: seconds a second, own and cascaded
  kStalled,
  kUnknown,
  kCpus,  // busy share, of the busiest node
  kDisk,  // busy share, of the busiest disk
  kLost,  // records since the frame before
  kLag,   // seconds
  kOpenWaits,
  kLostNodes,
  kRequests,     // finished in the frame's last second
  kRequestTime,  // seconds, at the 99th percentile
  kFindingIs     // the first finding is of kind `name`, with the member `other`; no comparison
};

enum class Comparison { kAbove, kAtLeast, kBelow, kAtMost };

struct RuleCondition {
  RuleQuantity quantity = RuleQuantity::kShare;
  std::string name;   // may hold * for any text; a kind of finding is a word
  std::string other;  // likewise; empty: any
  Comparison comparison = Comparison::kAbove;
  double bound = 0;
};

struct Rule {
  std::string name;  // letters, digits, dots, dashes and underscores
  int line = 0;
  std::vector<RuleCondition> conditions;  // all must hold
  uint64_t for_ns = 0;
  uint64_t cooldown_ns = 5 * 60 * kNsPerSecond;
  uint64_t keep_ns = 0;                   // how much of the recording is kept; 0: nothing
  std::vector<std::string> command;       // empty: none
  uint64_t limit_ns = 30 * kNsPerSecond;  // of the command
};

}  // namespace gordian
