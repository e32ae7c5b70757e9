// SPDX-License-Identifier: Apache-2.0
// Which switch or wake a stack sample belongs to.
//
// The kernel writes a sample right beside its event, on the same CPU, while the same thread is
// current: just behind it, or, where the event's hook comes later, just before. So a wait's sample
// belongs to the switch away from its thread that is next to it among the CPU's switches, and
// a wake's to the nearest wake by its thread. The choice between its neighbours is made when the
// one behind is seen. Until then each sample is open, at most one of each kind at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline/decoded_block.h"
#include "trace/trace_event.h"

namespace gordian {

// Takes the events of one CPU's block in order of time.
class SampleMatcher {
 public:
  // Appends matched samples to `matched`, and counts the others in `unmatched`.
  SampleMatcher(std::vector<StackRecordOfThread>& matched, uint64_t& unmatched)
      : matched_(matched), unmatched_(unmatched) {}

  void TakeSwitch(const TraceEvent& event);
  void TakeWake(const TraceEvent& event);
  void TakeSample(const TraceEvent& event);
  void Finish();

 private:
  struct WakeByThread {
    uint64_t time_ns = 0;
    int32_t waker_tid = 0;
    int32_t wakee_tid = 0;
  };
  struct OpenSample {
    uint64_t taken_ns = 0;
    int32_t tid = 0;
    StackRecordOfThread match;  // tid 0: none yet
  };
  void Close(std::optional<OpenSample>& open);

  std::vector<StackRecordOfThread>& matched_;
  uint64_t& unmatched_;
  uint64_t last_switch_ns_ = 0;
  int32_t last_leaver_tid_ = 0;
  bool leaver_has_sample_ = false;
  std::optional<WakeByThread> last_wake_;
  std::optional<OpenSample> open_wait_;
  std::optional<OpenSample> open_wake_;
};

}  // namespace gordian
