// SPDX-License-Identifier: Apache-2.0
#include "report/busy_interrupts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/finding_threads.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using CpuOfNode = std::pair<uint32_t, uint32_t>;  // node, CPU

bool IsNetSoftirq(std::string_view vector) { return vector.starts_with("softirq net_"); }

struct SourceName {
  uint32_t cpu = 0;
  std::string vector;
};

// "cpu3/net_rx"
std::optional<SourceName> SourceOf(std::string_view name) {
  constexpr std::string_view kCpu = "cpu";
  const size_t slash = name.find('/');
  if (slash == name.npos || !name.starts_with(kCpu)) return {};
  SourceName source{.cpu = 0, .vector = std::string(name.substr(slash + 1))};
  const std::string number(name.substr(kCpu.size(), slash - kCpu.size()));
  if (!absl::SimpleAtoi(number, &source.cpu)) return {};
  return source;
}

// The CPU on which a finding's threads ran, or were ready to, for most of that time.
class CpuOfThreads {
 public:
  CpuOfThreads(const pb::Finding& finding, const Waits& waits,
               const std::vector<uint32_t>& vertex_of_entity, const TimeRange& range) {
    ForEachThreadOf(
        MembersOf(finding), waits, vertex_of_entity, [&](EntityId id, const Entity& thread) {
          threads_.insert(id);
          double ready_ns = 0;  // a thread that is ready waits for the CPU that it then runs on
          ForEachSegmentOf(id, waits, range, [&](const ThreadSegment& segment, double length_ns) {
            const bool runs =
                segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kSpin;
            if (segment.kind == SegmentKind::kRunnable) ready_ns += length_ns;
            if (!runs) return;
            ns_on_[{thread.node, segment.state}] += length_ns + std::exchange(ready_ns, 0);
          });
        });
  }

  bool IsMostly(CpuOfNode cpu) const {
    double all_ns = 0;
    for (const auto& [one, ns] : ns_on_) all_ns += ns;
    const auto found = ns_on_.find(cpu);
    return found != ns_on_.end() && found->second >= kMostOfTheTime * all_ns;
  }
  const std::set<EntityId>& threads() const { return threads_; }

 private:
  std::map<CpuOfNode, double> ns_on_;
  std::set<EntityId> threads_;
};

bool SendMuchThemselves(const std::set<EntityId>& threads, const InterruptLoad& load,
                        const Timeline& timeline, const TimeRange& range) {
  if (load.node >= timeline.packet_rows().size()) return false;
  double all = 0;
  double own = 0;
  const std::span<const PacketRecord> all_packets = timeline.packet_rows()[load.node];
  const auto first = std::lower_bound(
      all_packets.begin(), all_packets.end(), range.from_ns,
      [](const PacketRecord& packet, uint64_t time_ns) { return packet.time_ns < time_ns; });
  for (auto at = first; at != all_packets.end() && at->time_ns < range.to_ns; ++at) {
    const PacketRecord& packet = *at;
    if (packet.cpu != load.cpu) continue;
    all += 1;
    if (packet.sent && threads.contains(packet.thread)) own += 1;
  }
  return all > 0 && own >= kMatters * all;
}

InterruptLoad WithoutNetwork(InterruptLoad load) {
  std::erase_if(load.vectors, [&](const auto& entry) {
    if (IsNetSoftirq(entry.first)) load.share -= entry.second;
    return IsNetSoftirq(entry.first);
  });
  return load;
}

const std::string& MostOf(const InterruptLoad& load) {
  return std::max_element(load.vectors.begin(), load.vectors.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::string AdviceFor(std::string_view vector, uint32_t cpu) {
  const std::string away =
      absl::StrCat("keep the program's threads off CPU ", cpu, " (taskset, cpusets).");
  if (IsNetSoftirq(vector)) {
    return absl::StrCat(
        "Spread the network's interrupts over more CPUs: more queues of the card (RSS, ethtool "
        "-L), RPS, or irqbalance. Or ",
        away);
  }
  return absl::StrCat("Move these interrupts to another CPU (/proc/irq/…/smp_affinity). Or ", away);
}

void TellLoad(const InterruptLoad& load, pb::Finding& finding, pb::Report& report) {
  const std::string most = MostOf(load);
  pb::BusyInterrupts& told = *finding.mutable_interrupts();
  told.set_cpu(load.cpu);
  told.set_share(load.share);
  told.set_most(most);
  const std::string of_what = IsNetSoftirq(most) ? "network interrupts" : "interrupts";
  const std::string spends = absl::StrCat("CPU ", load.cpu, " spends ", PercentText(load.share),
                                          " of its time in ", of_what);
  PutFirst(absl::StrCat(spends, ", most of it in ", CleanText(most),
                        ". These threads run there and get the rest."),
           *finding.mutable_why());
  // Below that, the work is the limit, or another program; interrupts make it a little worse.
  if (load.share < kMostOfTheTime) {
    finding.add_advice(AdviceFor(most, load.cpu));
    return;
  }
  AddToTitle(": ", spends, finding, report);
  PutFirst(AdviceFor(most, load.cpu), *finding.mutable_advice());
}

}  // namespace

std::vector<InterruptLoad> InterruptLoadsOf(std::span<const ResourceReading> readings,
                                            uint32_t node, const TimeRange& range) {
  std::map<uint32_t, InterruptLoad> loads;
  std::set<std::pair<uint64_t, uint64_t>> intervals;  // a vector that did not run has no reading
  for (const ResourceReading& reading : readings) {
    const pb::ResourceKind kind = reading.kind->kind;
    if (kind != pb::RESOURCE_SOFTIRQ && kind != pb::RESOURCE_HARDIRQ) continue;
    if (reading.end_ns <= range.from_ns || reading.end_ns > range.to_ns) continue;
    const std::optional<SourceName> source = SourceOf(reading.name);
    if (!source) continue;
    intervals.insert({reading.start_ns, reading.end_ns});
    InterruptLoad& load = loads[source->cpu];
    const double ns = reading.value * static_cast<double>(reading.end_ns - reading.start_ns);
    load.share += ns;
    load.vectors[absl::StrCat(reading.kind->name, " ", source->vector)] += ns;
  }
  double all_ns = 0;
  for (const auto& [start_ns, end_ns] : intervals) all_ns += static_cast<double>(end_ns - start_ns);
  std::vector<InterruptLoad> all;
  for (auto& [cpu, load] : loads) {
    load.node = node;
    load.cpu = cpu;
    load.share = std::min(1.0, load.share / all_ns);  // a softirq counts interrupts within it, too
    for (auto& [vector, share] : load.vectors) share /= all_ns;
    all.push_back(std::move(load));
  }
  return all;
}

void TellInterrupts(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const InterruptLoad> loads,
                    pb::Report& report) {
  // Only a CPU with many of them sends the threads' segments to be read.
  const bool any = std::any_of(loads.begin(), loads.end(), [](const InterruptLoad& load) {
    return load.share >= kMattersMuch;
  });
  if (!any) return;
  for (pb::Finding& finding : *report.mutable_findings()) {
    const KindFacts& facts = FactsOf(finding);
    if (!facts.works && !facts.lacks_cpus) continue;
    const CpuOfThreads where(finding, waits, vertex_of_entity, range);
    for (const InterruptLoad& load : loads) {
      if (load.share < kMattersMuch || !where.IsMostly({load.node, load.cpu})) continue;
      const bool is_own = SendMuchThemselves(where.threads(), load, waits.timeline(), range);
      const InterruptLoad others = is_own ? WithoutNetwork(load) : load;
      if (others.share >= kMattersMuch) TellLoad(others, finding, report);
    }
  }
}

}  // namespace gordian
