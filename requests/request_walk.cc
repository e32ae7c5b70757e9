// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/waits/stays.h"
#include "requests/requests.h"
#include "requests/steps_back.h"

namespace gordian {

RequestStepCounts& RequestStepCounts::operator+=(const RequestStepCounts& other) {
  cut_short += other.cut_short;
  causes_asleep += other.causes_asleep;
  by_likeness += other.by_likeness;
  not_known += other.not_known;
  nested_too_deep += other.nested_too_deep;
  return *this;
}

struct RequestWalk::Impl {
  Impl(const Timeline& timeline, const FoundRequests& found)
      : timeline(timeline), kinds(timeline), deeds(found) {
    // Who was seen to hand a request on: both must be known before the first walk that counts.
    for (const Request& request : found.requests) {
      RequestStepCounts ignored;
      StepsBack walk({timeline, kinds, deeds, nullptr}, ignored);
      walk.GoBack(request);
      for (const HandOver& hand_over : walk.certain_hand_overs()) givers.insert(hand_over);
    }
  }

  const Timeline& timeline;
  const WaitKinds kinds;
  const RequestDeeds deeds;
  HandOvers givers;
};

RequestWalk::RequestWalk(const Timeline& timeline, const FoundRequests& found)
    : impl_(std::make_unique<Impl>(timeline, found)) {}
RequestWalk::~RequestWalk() = default;

std::vector<RequestStep> RequestWalk::StepsOf(const Request& request,
                                              RequestStepCounts& counts) const {
  StepsBack walk({impl_->timeline, impl_->kinds, impl_->deeds, &impl_->givers}, counts);
  walk.GoBack(request);
  return walk.TakeSteps();
}

}  // namespace gordian
