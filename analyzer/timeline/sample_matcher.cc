// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/sample_matcher.h"

namespace gordian {

void SampleMatcher::Close(std::optional<OpenSample>& open) {
  if (!open) return;
  if (open->match.tid != 0) {
    matched_.push_back(open->match);
  } else {
    ++unmatched_;
  }
  open.reset();
}

void SampleMatcher::TakeSwitch(const TraceEvent& event) {
  const int32_t leaver_tid = event.sched_switch.prev_tid;
  leaver_has_sample_ = false;
  if (open_wait_ && open_wait_->tid == leaver_tid) {
    open_wait_->match.time_ns = event.time_ns;
    open_wait_->match.tid = leaver_tid;
    leaver_has_sample_ = true;
  }
  Close(open_wait_);
  Close(open_wake_);
  last_switch_ns_ = event.time_ns;
  last_leaver_tid_ = leaver_tid;
  last_wake_.reset();
}

void SampleMatcher::TakeWake(const TraceEvent& event) {
  const WakeEvent& wake = event.wake;
  if (wake.context != WakeContext::kThread || wake.wakee_tid == 0) return;
  if (open_wake_ && open_wake_->tid == wake.waker_tid) {
    StackRecordOfThread& match = open_wake_->match;
    const uint64_t behind_ns = event.time_ns - open_wake_->taken_ns;
    if (match.tid == 0 || behind_ns < open_wake_->taken_ns - match.time_ns) {
      match.time_ns = event.time_ns;
      match.tid = wake.wakee_tid;
    }
  }
  Close(open_wake_);
  last_wake_ = {event.time_ns, wake.waker_tid, wake.wakee_tid};
}

void SampleMatcher::TakeSample(const TraceEvent& event) {
  const StackSampleEvent& sample = event.stack_sample;
  if (sample.tid == 0) return;
  StackRecordOfThread match{.time_ns = event.time_ns,
                            .stack_id = sample.stack_id,
                            .tid = sample.tid,
                            .moment = sample.moment,
                            .weight_log2 = sample.weight_log2,
                            .object_id = sample.object_id};
  if (sample.moment == StackMoment::kCpu) {
    matched_.push_back(match);
  } else if (sample.moment == StackMoment::kWait) {
    Close(open_wait_);
    match.tid = 0;
    open_wait_ = {event.time_ns, sample.tid, match};
    if (last_leaver_tid_ != sample.tid || leaver_has_sample_) return;
    open_wait_->match.time_ns = last_switch_ns_;
    open_wait_->match.tid = sample.tid;
    leaver_has_sample_ = true;
    Close(open_wait_);
  } else {
    Close(open_wake_);
    match.tid = 0;
    open_wake_ = {event.time_ns, sample.tid, match};
    if (!last_wake_ || last_wake_->waker_tid != sample.tid) return;
    open_wake_->match.time_ns = last_wake_->time_ns;
    open_wake_->match.tid = last_wake_->wakee_tid;
  }
}

void SampleMatcher::Finish() {
  Close(open_wait_);
  Close(open_wake_);
}

}  // namespace gordian
