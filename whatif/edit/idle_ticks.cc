// SPDX-License-Identifier: Apache-2.0
// Timers that end a loop's wait while nothing has come.
#include "whatif/edit/edit.h"

namespace gordian {

void JoinIdleTicks(const WaitsInLoops& loops, std::span<const uint32_t> vertex_of_entity,
                   Score& score) {
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.kernel_thread[thread] != 0) continue;
    const uint32_t vertex = score.VertexOf(thread, vertex_of_entity);
    bool waits_on = false;  // the next wait is for another thread, and nothing is done before it
    for (size_t i = score.first_step[thread + 1]; i-- > score.first_step[thread];) {
      Step& step = score.steps[i];
      switch (step.kind) {
        case StepKind::kRun:
        case StepKind::kOffCpu:
        case StepKind::kMark:
          break;
        case StepKind::kAwait: {
          const EntityId waker = score.PairOf(step.number).waker;
          waits_on = loops.IsInLoop(vertex, score.VertexOf(waker, vertex_of_entity));
          break;
        }
        case StepKind::kPause:
          waits_on = waits_on && step.by_timer && step.number != kNobody &&
                     loops.IsInLoop(vertex, vertex_of_entity[step.number]);
          if (waits_on) step.duration_ns = 0;
          break;
        default:
          waits_on = false;
      }
    }
  }
}

}  // namespace gordian
