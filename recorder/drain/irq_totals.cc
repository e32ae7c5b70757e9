// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/irq_totals.h"

#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "trace/event_words.h"

namespace gordian {
namespace {

std::string HardirqName(uint32_t irq) {
  switch (irq) {
    case GD_IRQ_LOCAL_TIMER:
      return "timer";
    case GD_IRQ_CALL_FUNCTION:
      return "call_function";
    case GD_IRQ_WORK:
      return "irq_work";
  }
  return absl::StrCat("irq", irq);
}

}  // namespace

bool IrqTotals::Source::operator<(const Source& other) const {
  return std::tie(cpu, hard, vector) < std::tie(other.cpu, other.hard, other.vector);
}

void IrqTotals::Sample(uint64_t now_ns, pb::ResourceBlock& block) {
  for (int cpu = 0; cpu < programs_.cpus(); ++cpu) {
    if (!programs_.has_ring(cpu)) continue;
    for (uint32_t vector = 0; vector < GD_SOFTIRQ_VECTORS; ++vector)
      Add({static_cast<uint32_t>(cpu), false, vector}, programs_.cpu(cpu).softirqs[vector], now_ns,
          block);
    Add({static_cast<uint32_t>(cpu), true, GD_IRQ_LOCAL_TIMER}, programs_.cpu(cpu).local_timer,
        now_ns, block);
  }
  for (const HardirqTotal& hardirq : programs_.ReadHardirqTotals())
    Add({hardirq.cpu, true, hardirq.irq}, hardirq.total, now_ns, block);
  last_ns_ = now_ns;
}

void IrqTotals::Add(const Source& source, const gd_run_total& total, uint64_t now_ns,
                    pb::ResourceBlock& block) {
  gd_run_total& last = last_[source];
  // The first sample is the baseline.
  const bool is_baseline = now_ns <= last_ns_;
  const uint64_t interval_ns =
      is_baseline ? std::numeric_limits<uint64_t>::max() : now_ns - last_ns_;
  uint64_t told_ns = last.duration_ns;
  const uint64_t duration_ns = TakeOfInterval(total.duration_ns, interval_ns, told_ns);
  last.duration_ns = told_ns;
  const uint64_t runs = total.count - std::exchange(last.count, total.count);
  if (is_baseline || (runs == 0 && duration_ns == 0)) return;
  pb::Resource& resource = *block.add_resources();
  resource.set_kind(source.hard ? pb::RESOURCE_HARDIRQ : pb::RESOURCE_SOFTIRQ);
  resource.set_name(absl::StrCat(
      "cpu", source.cpu, "/",
      source.hard ? HardirqName(source.vector) : std::string(SoftirqName(source.vector))));
  resource.set_capacity(kNsPerSecond);
  pb::ResourceSample& sample = *block.add_samples();
  sample.set_resource(block.resources_size() - 1);
  sample.set_end_time_ns(now_ns);
  sample.set_interval_ns(interval_ns);
  sample.set_value(static_cast<double>(duration_ns) * kNsPerSecond /
                   static_cast<double>(interval_ns));
  sample.set_count(runs);
}

}  // namespace gordian
