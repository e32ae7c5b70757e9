// SPDX-License-Identifier: Apache-2.0
#include "report/cpu_users.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/devices/devices.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "report/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kUsersTold = 3;

class CpuUsers {
 public:
  CpuUsers(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
           const TimeRange& range)
      : waits_(waits), vertex_of_entity_(vertex_of_entity), range_(range) {}

  void Add(uint32_t cpus, const pb::Report& report, pb::Finding& finding) {
    is_member_.assign(static_cast<size_t>(report.vertices_size()), 0);
    for (const uint32_t id : finding.members()) is_member_[id] = 1;
    FindReadyTimes();
    if (report.has_cluster()) cpus = CpusOfMembers(report.cluster());
    uint64_t ready_ns = 0;
    for (const Stretch& ready : ready_) ready_ns += ready.to_ns - ready.from_ns;
    if (ready_ns == 0 || cpus == 0) return;

    uint64_t members_ns = 0;
    uint64_t used_ns = 0;
    std::map<std::string, uint64_t> run_ns_of;
    ForEachThread([&](EntityId id, uint32_t vertex) {
      // Other nodes' CPUs are of no use to them.
      if (report.has_cluster() && !has_member_[waits_.entities()[id].node]) return;
      const uint64_t run_ns = RunWhileReady(id);
      if (run_ns == 0) return;
      used_ns += run_ns;
      (is_member_[vertex] != 0 ? members_ns
                               : run_ns_of[report.vertices(static_cast<int>(vertex)).name()]) +=
          run_ns;
    });
    const double all_ns = static_cast<double>(ready_ns) * cpus;
    if (members_ns > 0) AddUser("", static_cast<double>(members_ns) / all_ns, true, finding);
    for (const auto& [name, run_ns] : run_ns_of) {
      AddUser(name, static_cast<double>(run_ns) / all_ns, false, finding);
    }
    std::stable_sort(
        finding.mutable_cpu_users()->begin(), finding.mutable_cpu_users()->end(),
        [](const pb::CpuUser& a, const pb::CpuUser& b) { return a.share() > b.share(); });
    if (finding.cpu_users().empty()) return;
    // The reason, and nothing more: a reader with a starved thread asks first which thread has the
    // CPU.
    if (finding.why().empty()) finding.add_why();
    std::string& reason = *finding.mutable_why(0);
    absl::StrAppend(&reason, reason.empty() ? "" : " ", CpuUsersSentence(finding));
    const double used_cpus = static_cast<double>(used_ns) / static_cast<double>(ready_ns);
    if (!finding.has_cpu_quota()) AdviseOnFreeCpus(cpus - used_cpus, finding);
  }

 private:
  uint32_t CpusOfMembers(const pb::ClusterSummary& cluster) {
    has_member_.assign(static_cast<size_t>(cluster.nodes_size()), false);
    ForEachThread([&](EntityId id, uint32_t vertex) {
      if (is_member_[vertex] != 0) has_member_[waits_.entities()[id].node] = true;
    });
    uint32_t cpus = 0;
    for (int node = 0; node < cluster.nodes_size(); ++node) {
      if (has_member_[static_cast<size_t>(node)]) cpus += cluster.nodes(node).cpus();
    }
    return cpus;
  }

  // Whoever is ready while a CPU is free is kept from it. But a woken thread is ready for as long
  // as an idle processor takes to come out of its sleep: that is no such case.
  void AdviseOnFreeCpus(double free_cpus, pb::Finding& finding) const {
    uint64_t ready_ns = 0;
    for (const Stretch& stretch : ready_) ready_ns += stretch.to_ns - stretch.from_ns;
    const bool are_slow_wakes = ready_ns <= kQuickWakeNs * ready_.size();
    if (are_slow_wakes || free_cpus < kMostOfTheTime) return;
    finding.add_advice(absl::StrFormat(
        "Meanwhile %.1f CPUs were free on average: look for an affinity, a cpuset or "
        "a cgroup quota that keeps it from them, or for other guests of the same "
        "host.",
        free_cpus));
    for (int i = finding.advice_size() - 1; i > 0; --i)
      finding.mutable_advice()->SwapElements(i, i - 1);
  }

  template <typename Function>
  void ForEachThread(Function function) const {
    const std::vector<Entity>& entities = waits_.entities();
    for (EntityId id = 0; id < entities.size(); ++id) {
      // The threads behind a virtual thread tell its time.
      if (entities[id].kind == EntityKind::kThread) {
        function(id, vertex_of_entity_[waits_.Representative(id)]);
      }
    }
  }

  template <typename Function>
  void ForEachSegment(EntityId id, Function function) const {
    for (SegmentCursor at = waits_.SegmentsFrom(id, range_.from_ns);
         !at.done() && at.start_ns() < range_.to_ns; at.Next()) {
      const Stretch within{std::max(at.start_ns(), range_.from_ns),
                           std::min(at.end_ns(), range_.to_ns)};
      if (within.from_ns < within.to_ns) function(at.segment().kind, within);
    }
  }

  void FindReadyTimes() {
    ready_.clear();
    ForEachThread([&](EntityId id, uint32_t vertex) {
      if (is_member_[vertex] == 0) return;
      ForEachSegment(id, [&](SegmentKind kind, const Stretch& stretch) {
        if (kind == SegmentKind::kRunnable) ready_.push_back(stretch);
      });
    });
    std::sort(ready_.begin(), ready_.end(),
              [](const Stretch& a, const Stretch& b) { return a.from_ns < b.from_ns; });
    size_t kept = 0;
    for (const Stretch& stretch : ready_) {
      if (kept > 0 && stretch.from_ns <= ready_[kept - 1].to_ns) {
        ready_[kept - 1].to_ns = std::max(ready_[kept - 1].to_ns, stretch.to_ns);
      } else {
        ready_[kept++] = stretch;
      }
    }
    ready_.resize(kept);
  }

  // Both are in order of time, so each is walked over once.
  uint64_t RunWhileReady(EntityId id) const {
    uint64_t run_ns = 0;
    auto ready = ready_.begin();
    ForEachSegment(id, [&](SegmentKind kind, const Stretch& run) {
      if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin) return;
      while (ready != ready_.end() && ready->to_ns <= run.from_ns) ++ready;
      for (auto at = ready; at != ready_.end() && at->from_ns < run.to_ns; ++at) {
        run_ns += std::min(at->to_ns, run.to_ns) - std::max(at->from_ns, run.from_ns);
      }
    });
    return run_ns;
  }

  static void AddUser(const std::string& name, double share, bool member, pb::Finding& finding) {
    if (share < kWorthAWord) return;
    pb::CpuUser& user = *finding.add_cpu_users();
    user.set_name(name);
    user.set_share(share);
    user.set_member(member);
  }

  const Waits& waits_;
  const std::vector<uint32_t>& vertex_of_entity_;
  const TimeRange& range_;
  std::vector<char> is_member_;   // by vertex
  std::vector<bool> has_member_;  // by node
  std::vector<Stretch> ready_;    // when any member was ready to run; in order, not touching
};

}  // namespace

void AddCpuUsers(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity, uint32_t cpus,
                 const TimeRange& range, pb::Report& report) {
  CpuUsers users(waits, vertex_of_entity, range);
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (FactsOf(finding).lacks_cpus) users.Add(cpus, report, finding);
  }
}

std::string CpuUsersSentence(const pb::Finding& finding) {
  if (finding.cpu_users().empty()) return "";
  double told = 0;
  double members = 0;
  size_t others = 0;
  std::string text = "Meanwhile the CPUs ran ";
  for (const pb::CpuUser& user : finding.cpu_users()) {
    if (user.member()) {
      members = user.share();
    } else if (others++ < kUsersTold) {
      absl::StrAppend(&text, user.name(), " ", PercentText(user.share()), ", ");
      told += user.share();
    }
  }
  const double rest = std::max(0.0, 1 - told - members);
  if (members > 0) {
    absl::StrAppend(&text, finding.members_size() == 1 ? "itself " : "those themselves ",
                    PercentText(members), ", ");
  }
  return absl::StrCat(text, "other programs or no program ", PercentText(rest), " of the time.");
}

}  // namespace gordian
