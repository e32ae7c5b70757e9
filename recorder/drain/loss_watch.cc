// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/loss_watch.h"

#include <algorithm>

namespace gordian {

void LossWatch::Check(int cpu, const gd_cpu& counters, uint64_t now_ns, EventBlock& block) {
  Seen& seen = cpus_[cpu];
  for (int kind = 0; kind < GD_KINDS; ++kind) {
    // The programs keep counting while we look: read once.
    const uint64_t lost = __atomic_load_n(&counters.lost[kind], __ATOMIC_RELAXED) +
                          __atomic_load_n(&counters.left_out[kind], __ATOMIC_RELAXED);
    Tell(kind, lost, now_ns, static_cast<uint16_t>(cpu), seen, block);
  }
  seen.checked_ns = now_ns;
}

void LossWatch::CheckPrograms(const std::vector<LeftOut>& left_out, uint64_t now_ns,
                              EventBlock& block) {
  std::array<uint64_t, GD_KINDS> lost{};
  for (const LeftOut& program : left_out)
    if (program.kind != 0 && !program.told_by_cpu) lost[program.kind] += program.count;
  for (int kind = 0; kind < GD_KINDS; ++kind)
    Tell(kind, lost[kind], now_ns, kNoCpu, programs_, block);
  programs_.checked_ns = now_ns;
}

void LossWatch::CheckEnd(int cpu, const gd_cpu& counters, const RecordCounts& taken,
                         uint64_t now_ns, EventBlock& block) {
  Seen& seen = cpus_[cpu];
  for (int kind = 0; kind < GD_KINDS; ++kind) {
    const uint64_t known = counters.lost[kind] + taken[kind];
    if (counters.produced[kind] <= known) continue;
    const uint64_t unfinished = counters.produced[kind] - known;
    unfinished_ += unfinished;
    Tell(kind, seen.lost[kind] + unfinished, now_ns, static_cast<uint16_t>(cpu), seen, block);
  }
}

void LossWatch::Tell(int kind, uint64_t lost, uint64_t now_ns, uint16_t cpu, Seen& seen,
                     EventBlock& block) {
  if (lost <= seen.lost[kind]) return;
  if (kind >= GD_WORK) return;  // older readers refuse a loss of a kind they do not know
  const uint64_t count = lost - seen.lost[kind];
  TraceEvent event{.time_ns = now_ns, .kind = EventKind::kLoss, .cpu = cpu};
  event.loss = {.duration_ns = now_ns - std::min(now_ns, seen.checked_ns),
                .count = count,
                .kind = static_cast<EventKind>(kind)};
  block.events.push_back(event);
  total_ += count;
  seen.lost[kind] = lost;
}

}  // namespace gordian
