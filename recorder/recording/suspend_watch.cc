// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/suspend_watch.h"

#include "trace/counters.h"

namespace gordian {
namespace {

// Two clocks are not read at one instant. A thread that loses its CPU meanwhile reads them at most
// some milliseconds apart (clock.cc tries more than once); no machine sleeps so shortly.
constexpr uint64_t kLeastSleepNs = 10'000'000;

}  // namespace

bool SuspendWatch::Look(uint64_t now_ns, uint64_t slept_ns, pb::Session& session) {
  if (slept_ns < slept_ns_ + kLeastSleepNs) return false;
  const uint64_t sleep_ns = slept_ns - slept_ns_;
  slept_ns_ = slept_ns;
  AddCounter(session, "machine_suspends", 1);
  pb::Suspend* suspend = session.suspends_size() < kMostSuspends
                             ? session.add_suspends()
                             : session.mutable_suspends(kMostSuspends - 1);
  suspend->set_noticed_ns(now_ns);
  suspend->set_slept_ns(suspend->slept_ns() + sleep_ns);
  return true;
}

}  // namespace gordian
