// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/joint_pace.h"

#include <algorithm>

namespace gordian {
namespace {

// A share that followed each window's cost would differ from that of other nodes by chance.
constexpr double kHorizonNs = 60e9;
constexpr double kMostOwedNs = 10e9;
constexpr double kOfNewest = 0.5;
// A better measurement of the clock may set it back by so little that no slot is meant.
constexpr uint64_t kOfASlot = 8;

}  // namespace

JointPace::JointPace(const PauseTimetable& timetable, const CostLedger& ledger, uint64_t start_ns,
                     uint64_t reference_ns)
    : timetable_(timetable),
      ledger_(ledger),
      first_until_ns_(timetable.At(timetable.At(reference_ns).end_ns).end_ns),
      slot_(timetable.At(reference_ns)),
      since_ns_(start_ns) {}

void JointPace::LearnCost(uint64_t now_ns) {
  const auto lasted_ns = static_cast<double>(now_ns - since_ns_);
  if (lasted_ns < CostLedger::kLeastWindowNs) return;
  const double newest = window_cost_ns_ / lasted_ns;
  cost_ns_per_ns_ =
      cost_ns_per_ns_ == 0 ? newest : kOfNewest * newest + (1 - kOfNewest) * cost_ns_per_ns_;
  since_ns_ = now_ns;
  window_cost_ns_ = 0;
}

// The share for which what comes in and what is saved up or owed will have been used up in a
// minute.
bool JointPace::RecordsSlot(uint64_t reference_ns) {
  if (reference_ns < first_until_ns_ || slot_.number < CostLedger::kLeastDuty) return true;
  if (cost_ns_per_ns_ <= 0) return true;
  const double affordable_ns = ledger_.free_ns_per_ns() * kHorizonNs - ledger_.debt_ns();
  if (slot_.number >= affordable_ns / (cost_ns_per_ns_ * kHorizonNs)) return false;
  // The beginning, if no more: other nodes that cannot afford all of it have that, too.
  return ledger_.Affords(CostLedger::kLeastWindowNs, cost_ns_per_ns_);
}

bool JointPace::Records(uint64_t now_ns, uint64_t reference_ns, uint64_t cost_ns) {
  ledger_.Pay(now_ns, cost_ns);
  now_ns = ledger_.last_ns();
  if (records_) window_cost_ns_ += static_cast<double>(cost_ns);
  if (reference_ns < slot_.begin_ns &&
      slot_.begin_ns - reference_ns < timetable_.slot_ns() / kOfASlot)
    return records_;
  if (slot_.Holds(reference_ns)) {
    const auto lasted_ns = static_cast<double>(reference_ns - slot_.begin_ns);
    if (!records_ || lasted_ns < CostLedger::kLeastWindowNs || !ledger_.AreTenSecondsUsedUp())
      return records_;
    LearnCost(now_ns);
    return records_ = false;
  }
  if (records_) LearnCost(now_ns);
  slot_ = timetable_.At(reference_ns);
  const bool recorded = records_;
  records_ = RecordsSlot(reference_ns);
  if (records_ && !recorded) {
    since_ns_ = now_ns;
    window_cost_ns_ = 0;
  }
  // A dear recorder owes ever more for the least share, and would never record more once it is
  // cheap.
  ledger_.ForgiveDownTo(ledger_.allowed_ns_per_ns() * kMostOwedNs);
  return records_;
}

}  // namespace gordian
