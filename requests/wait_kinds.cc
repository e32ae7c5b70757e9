// SPDX-License-Identifier: Apache-2.0
#include "requests/wait_kinds.h"

#include <algorithm>
#include <tuple>

namespace gordian {
namespace {

bool IsLock(const WaitObjectRecord& object) {
  if (object.kind == WaitObjectKind::kFutex) return true;
  const std::string_view call = WaitCallName(object.call);
  return call == "flock" || call == "semop" || call == "semtimedop";
}

}  // namespace

WaitKinds::WaitKinds(const Timeline& timeline)
    : senses_(timeline), mostly_locks_(timeline.thread_count()) {
  std::vector<double> balance(timeline.thread_count());
  for (const StackSample& sample : timeline.stack_samples()) {
    if (sample.moment() != StackMoment::kWait || sample.thread >= timeline.thread_count()) continue;
    const auto object = timeline.wait_objects().find(sample.object_id);
    if (sample.object_id == 0 || object == timeline.wait_objects().end()) continue;
    const uint64_t start_ns = timeline.start_ns() + sample.since_start_ns;
    const bool for_lock = IsLock(object->second);
    sampled_.push_back({sample.thread, start_ns, for_lock});
    const auto weight = static_cast<double>(uint64_t{1} << sample.weight_log2);
    balance[sample.thread] += for_lock ? weight : -weight;
  }
  std::stable_sort(sampled_.begin(), sampled_.end(),
                   [](const SampledWait& a, const SampledWait& b) {
                     return std::tie(a.thread, a.start_ns) < std::tie(b.thread, b.start_ns);
                   });
  for (EntityId thread = 0; thread < balance.size(); ++thread)
    mostly_locks_[thread] = balance[thread] > 0 ? 1 : 0;
}

WaitKinds::WaitKind WaitKinds::Of(EntityId thread, const ThreadSegment& wait) const {
  if (wait.kind == SegmentKind::kSpin) return {.for_lock = true};
  WaitKind kind;
  const WaitSense sense = senses_.Of(thread, wait);
  kind.for_events = sense == WaitSense::kEvents || sense == WaitSense::kLikelyEvents;
  kind.by_likeness = sense == WaitSense::kLikelyEvents || sense == WaitSense::kLikelyWork;
  kind.is_known = sense != WaitSense::kNotKnown;
  if (kind.for_events || !kind.is_known) return kind;
  const auto found =
      std::lower_bound(sampled_.begin(), sampled_.end(), std::tuple(thread, wait.start_ns),
                       [](const SampledWait& a, const auto& wanted) {
                         return std::tuple(a.thread, a.start_ns) < wanted;
                       });
  const bool is_sampled =
      found != sampled_.end() && found->thread == thread && found->start_ns == wait.start_ns;
  kind.for_lock = is_sampled ? found->for_lock : mostly_locks_[thread] != 0;
  return kind;
}

}  // namespace gordian
