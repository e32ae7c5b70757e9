// SPDX-License-Identifier: Apache-2.0
// When a recording of many nodes pauses to keep to its own node's budget: at borders of the slots
// that all nodes agree on (pause_timetable.h).
//
// The share of slots that the node can afford comes from its cost in those it recorded, and from
// what it owes (cost_ledger.h). A slot that would cost ten seconds more than their budget is
// recorded in part or left out: then the node records less than its share, and session.pb tells.
// The slots of the least share are recorded by all nodes, whatever they cost.
#pragma once

#include <cstdint>

#include "recorder/recording/cost_ledger.h"
#include "recorder/recording/pause_timetable.h"

namespace gordian {

class JointPace {
 public:
  // Records at first, until a whole slot has passed. `reference_ns` is the start on the reference's
  // clock.
  JointPace(const PauseTimetable& timetable, const CostLedger& ledger, uint64_t start_ns,
            uint64_t reference_ns);

  void SetShare(double share) { ledger_.SetShare(share); }

  // Takes the cost of recording since the last call; returns whether to record from now on. Both
  // times are now: on this node's clock, and on the reference's as well as it is known.
  bool Records(uint64_t now_ns, uint64_t reference_ns, uint64_t cost_ns);

  // The end of the slot at hand, on the reference's clock.
  uint64_t NextBorderNs() const { return slot_.end_ns; }

 private:
  void LearnCost(uint64_t now_ns);
  bool RecordsSlot(uint64_t reference_ns);

  const PauseTimetable timetable_;
  CostLedger ledger_;
  const uint64_t first_until_ns_;  // on the reference's clock
  PauseTimetable::Slot slot_;
  bool records_ = true;
  uint64_t since_ns_;          // of the window at hand, or what is left of it to learn from
  double window_cost_ns_ = 0;  // since then
  double cost_ns_per_ns_ = 0;  // of recording; 0: not known yet
};

}  // namespace gordian
