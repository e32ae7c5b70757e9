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

WaitKinds::WaitKinds(const Timeline& timeline) : senses_(timeline) {
  absl::flat_hash_map<std::string_view, uint32_t> numbers;
  for (const Entity& entity : timeline.entities()) {
    const auto next = static_cast<uint32_t>(numbers.size());
    name_of_entity_.push_back(numbers.try_emplace(entity.name, next).first->second);
  }
  for (const StackSample& sample : timeline.stack_samples()) {
    if (sample.moment() != StackMoment::kWait || sample.thread >= timeline.thread_count()) continue;
    const auto object = timeline.wait_objects().find(sample.object_id);
    if (sample.object_id == 0 || object == timeline.wait_objects().end()) continue;
    const uint64_t start_ns = timeline.start_ns() + sample.since_start_ns;
    const bool for_lock = IsLock(object->second);
    sampled_.push_back({sample.thread, start_ns, for_lock});
    const SegmentCursor at = timeline.SegmentsFrom(sample.thread, start_ns);
    const bool is_wait = !at.done() && at.start_ns() == start_ns &&
                         at.segment().kind == SegmentKind::kWait && at.segment().waker != kNobody;
    if (!is_wait) continue;
    Likeness& like = of_pair_[PairOf(sample.thread, at.segment())];
    const auto weight = static_cast<double>(uint64_t{1} << sample.weight_log2);
    const bool for_events = senses_.Of(sample.thread, at.segment()) == WaitSense::kEvents;
    (for_events ? like.events : for_lock ? like.locks : like.others) += weight;
  }
  std::stable_sort(sampled_.begin(), sampled_.end(),
                   [](const SampledWait& a, const SampledWait& b) {
                     return std::tie(a.thread, a.start_ns) < std::tie(b.thread, b.start_ns);
                   });
}

uint64_t WaitKinds::PairOf(EntityId thread, const ThreadSegment& wait) const {
  return uint64_t{name_of_entity_[thread]} << 32 | name_of_entity_[wait.waker];
}

WaitKinds::WaitKind WaitKinds::Of(EntityId thread, const ThreadSegment& wait) const {
  if (wait.kind == SegmentKind::kSpin) return {.for_lock = true};
  const WaitSense sense = senses_.Of(thread, wait);
  const auto found =
      std::lower_bound(sampled_.begin(), sampled_.end(), std::tuple(thread, wait.start_ns),
                       [](const SampledWait& a, const auto& wanted) {
                         return std::tuple(a.thread, a.start_ns) < wanted;
                       });
  const bool is_sampled =
      found != sampled_.end() && found->thread == thread && found->start_ns == wait.start_ns;
  if (is_sampled || sense == WaitSense::kWork)
    return {.for_events = sense == WaitSense::kEvents,
            .for_lock = is_sampled && found->for_lock && sense != WaitSense::kEvents};
  const auto pair =
      wait.waker < name_of_entity_.size() ? of_pair_.find(PairOf(thread, wait)) : of_pair_.end();
  if (pair == of_pair_.end())
    return {.for_events = sense == WaitSense::kLikelyEvents,
            .by_likeness = sense != WaitSense::kNotKnown,
            .is_known = sense != WaitSense::kNotKnown};
  const Likeness& like = pair->second;
  const double work = like.locks + like.others;
  return {.for_events = like.events > work,
          .for_lock = like.events <= work && like.locks > like.others,
          .by_likeness = true};
}

}  // namespace gordian
