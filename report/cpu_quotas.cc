// SPDX-License-Identifier: Apache-2.0
#include "report/cpu_quotas.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/ranking.h"
#include "base/time_units.h"
#include "report/finding_threads.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string NameOf(const CpuQuota& quota) {
  return absl::StrFormat("the CPU quota of its cgroup (%s: %.3g CPUs)", CleanText(quota.cgroup),
                         quota.cpus);
}

class QuotaTeller {
 public:
  QuotaTeller(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
              const TimeRange& range, std::span<const CpuQuota> quotas)
      : waits_(waits), vertex_of_entity_(vertex_of_entity), range_(range), quotas_(quotas) {}

  const CpuQuota* ReasonOf(const pb::Finding& finding) const {
    const std::vector<double> ready_ns = ReadyNsUnderQuotas(finding);  // the last: of all
    const CpuQuota* reason = nullptr;
    for (size_t i = 0; i < quotas_.size(); ++i) {
      const bool is_theirs = ready_ns[i] > 0 && ready_ns[i] >= kMostOfTheTime * ready_ns.back();
      // On a part of the recording nobody knows how the quota's time is spread: evenly.
      const double throttled_ns = quotas_[i].throttled_ns * ShareOfRecording();
      if (!is_theirs || throttled_ns < kMattersMuch * ready_ns[i]) continue;
      if (reason == nullptr || quotas_[i].throttled_ns > reason->throttled_ns) reason = &quotas_[i];
    }
    return reason;
  }

 private:
  double ShareOfRecording() const {
    const TimeRange all = {waits_.timeline().start_ns(), waits_.timeline().end_ns()};
    return all.length_ns() == 0
               ? 0
               : static_cast<double>(range_.length_ns()) / static_cast<double>(all.length_ns());
  }

  std::vector<double> ReadyNsUnderQuotas(const pb::Finding& finding) const {
    std::vector<double> ready_ns(quotas_.size() + 1);
    ForEachThreadOf(
        MembersOf(finding), waits_, vertex_of_entity_, [&](EntityId id, const Entity& entity) {
          const double own_ns = ReadyNs(id);
          ready_ns.back() += own_ns;
          for (size_t i = 0; i < quotas_.size(); ++i) {
            const std::vector<uint32_t>& pids = quotas_[i].pids;
            if (quotas_[i].node == entity.node &&
                std::binary_search(pids.begin(), pids.end(), static_cast<uint32_t>(entity.tgid)))
              ready_ns[i] += own_ns;
          }
        });
    return ready_ns;
  }

  double ReadyNs(EntityId id) const {
    double ready_ns = 0;
    ForEachSegmentOf(id, waits_, range_, [&](const ThreadSegment& segment, double length_ns) {
      if (segment.kind == SegmentKind::kRunnable) ready_ns += length_ns;
    });
    return ready_ns;
  }

  const Waits& waits_;
  const std::vector<uint32_t>& vertex_of_entity_;
  const TimeRange& range_;
  std::span<const CpuQuota> quotas_;
};

// Times the quota: the question that reports ask.
constexpr double kLargerQuota = 2;

void Tell(const CpuQuota& quota, pb::Finding& finding, pb::Report& report) {
  pb::CpuQuota& told = *finding.mutable_cpu_quota();
  told.set_cgroup(quota.cgroup);
  told.set_cpus(quota.cpus);
  told.set_throttled_s(quota.throttled_ns / kNsPerSecond);
  AddToTitle(": ", absl::StrCat(NameOf(quota), " is used up"), finding, report);
  PutFirst(absl::StrCat("The cgroup ", CleanText(quota.cgroup), " may use ",
                        absl::StrFormat("%.3g", quota.cpus),
                        " CPUs. When it has used that up, its threads wait for the next period: ",
                        SecondsText(quota.throttled_ns / kNsPerSecond),
                        " in this recording, added up over CPUs."),
           *finding.mutable_why());
  // More CPUs, or fewer other programs, would change nothing.
  finding.clear_advice();
  finding.add_advice(
      "Raise that quota (cpu.max; of a container its CPU limit), or let fewer threads run at a "
      "time: many use it up at the beginning of each period.");
  finding.clear_natural_fixes();
  finding.clear_no_natural_fix_because();
  if (finding.members().empty()) return;
  pb::NaturalFix& fix = *finding.add_natural_fixes();
  fix.set_change("quota");
  fix.set_who(finding.members(0));
  fix.set_amount(kLargerQuota * quota.cpus);
}

}  // namespace

std::vector<CpuQuota> QuotasOf(std::span<const ResourceReading> readings, uint32_t node) {
  std::map<std::string, CpuQuota> quotas;
  for (const ResourceReading& reading : readings) {
    if (reading.kind->kind != pb::RESOURCE_CPU_THROTTLED || reading.value == 0) continue;
    CpuQuota& quota = quotas[std::string(reading.name)];
    quota.cpus = reading.capacity;
    quota.throttled_ns += reading.value * static_cast<double>(reading.end_ns - reading.start_ns);
    const auto& pids = reading.resource->pids();
    if (quota.pids.size() < static_cast<size_t>(pids.size()))
      quota.pids.assign(pids.begin(), pids.end());
  }
  std::vector<CpuQuota> all;
  for (auto& [cgroup, quota] : quotas) {
    quota.node = node;
    quota.cgroup = cgroup;
    std::sort(quota.pids.begin(), quota.pids.end());
    all.push_back(std::move(quota));
  }
  return all;
}

void TellCpuQuotas(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                   const TimeRange& range, std::span<const CpuQuota> quotas, pb::Report& report) {
  if (quotas.empty()) return;
  const QuotaTeller teller(waits, vertex_of_entity, range, quotas);
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!FactsOf(finding).lacks_cpus) continue;
    const CpuQuota* reason = teller.ReasonOf(finding);
    if (reason == nullptr) continue;
    Tell(*reason, finding, report);
  }
  RankFindings(report);
}

}  // namespace gordian
