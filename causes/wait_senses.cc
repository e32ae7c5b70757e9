// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "causes/causes.h"

namespace gordian {
namespace {

bool IsAnyOf(std::string_view call, std::initializer_list<std::string_view> calls) {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

bool IsForEvents(const WaitObjectRecord& object) {
  if (object.listening || object.kind == WaitObjectKind::kEpoll) return true;
  const std::string_view call = WaitCallName(object.call);
  if (IsAnyOf(call,
              {"epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter", "accept", "accept4"}))
    return true;
  return object.kind == WaitObjectKind::kDescriptors && object.value > 1;
}

bool IsWorkByItself(const ThreadSegment& wait) {
  return wait.kind == SegmentKind::kSpin || wait.cause == WaitCause::kDisk ||
         wait.state == kStateUninterruptible;
}

}  // namespace

WaitSenses::WaitSenses(const Timeline& timeline)
    : first_of_thread_(timeline.thread_count() + 1),
      others_(timeline.thread_count(), WaitSense::kNotKnown) {
  struct Weight {
    double events = 0;
    double work = 0;
  };
  std::vector<Weight> weights(timeline.thread_count());
  for (const StackSample& sample : timeline.stack_samples()) {
    if (sample.moment() != StackMoment::kWait || sample.thread >= timeline.thread_count()) continue;
    const auto object = timeline.wait_objects().find(sample.object_id);
    if (sample.object_id == 0 || object == timeline.wait_objects().end()) continue;
    const uint64_t start_ns = timeline.start_ns() + sample.since_start_ns;
    const bool for_events = IsForEvents(object->second);
    told_.push_back({sample.thread, start_ns, for_events});
    const SegmentCursor at = timeline.SegmentsFrom(sample.thread, start_ns);
    const bool is_wait = !at.done() && at.start_ns() == start_ns &&
                         at.segment().kind == SegmentKind::kWait && !IsWorkByItself(at.segment());
    if (!is_wait) continue;
    const auto weight = static_cast<double>(uint64_t{1} << sample.weight_log2);
    (for_events ? weights[sample.thread].events : weights[sample.thread].work) += weight;
  }
  std::stable_sort(told_.begin(), told_.end(), [](const Told& a, const Told& b) {
    return std::tie(a.thread, a.start_ns) < std::tie(b.thread, b.start_ns);
  });
  for (EntityId thread = 0; thread < weights.size(); ++thread) {
    const Weight& weight = weights[thread];
    if (weight.events + weight.work > 0)
      others_[thread] =
          weight.events > weight.work ? WaitSense::kLikelyEvents : WaitSense::kLikelyWork;
  }
  size_t next = 0;
  for (EntityId thread = 0; thread < first_of_thread_.size(); ++thread) {
    while (next < told_.size() && told_[next].thread < thread) ++next;
    first_of_thread_[thread] = static_cast<uint32_t>(next);
  }
}

WaitSense WaitSenses::Of(EntityId thread, const ThreadSegment& wait) const {
  if (IsWorkByItself(wait)) return WaitSense::kWork;
  const auto begin = told_.begin() + first_of_thread_[thread];
  const auto end = told_.begin() + first_of_thread_[thread + 1];
  const auto found = std::lower_bound(
      begin, end, wait.start_ns,
      [](const Told& told, uint64_t start_ns) { return told.start_ns < start_ns; });
  if (found != end && found->start_ns == wait.start_ns)
    return found->for_events ? WaitSense::kEvents : WaitSense::kWork;
  return others_[thread];
}

}  // namespace gordian
