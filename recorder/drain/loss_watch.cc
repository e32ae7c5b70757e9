#include "recorder/drain/loss_watch.h"

#include <algorithm>

namespace gordian {

void LossWatch::Check(int cpu, const gd_cpu& counters, uint64_t now_ns, EventBlock& block) {
  Cpu& seen = cpus_[cpu];
  for (int kind = 0; kind < GD_KINDS; ++kind) {
    // The programs keep counting while we look: read once.
    const uint64_t lost = __atomic_load_n(&counters.lost[kind], __ATOMIC_RELAXED);
    if (lost == seen.lost[kind]) continue;
    if (kind >= GD_WORK) continue;  // older readers refuse a loss of a kind they do not know
    TraceEvent event{
        .time_ns = now_ns, .kind = EventKind::kLoss, .cpu = static_cast<uint16_t>(cpu)};
    event.loss = {.duration_ns = now_ns - seen.checked_ns,
                  .count = lost - seen.lost[kind],
                  .kind = static_cast<EventKind>(kind)};
    block.events.push_back(event);
    total_ += lost - seen.lost[kind];
    seen.lost[kind] = lost;
  }
  seen.checked_ns = now_ns;
}

}  // namespace gordian
