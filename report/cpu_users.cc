// SPDX-License-Identifier: Apache-2.0
#include "report/cpu_users.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/devices/devices.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/evidence/words.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/sums/window_sums.h"
#include "analyzer/waits/time_order.h"
#include "base/parallel.h"
#include "report/finding_threads.h"
#include "report/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kUsersTold = 3;

// A stretch of ready time within a window, and whether it goes on across the window's borders.
struct ReadyTimes {
  uint64_t ready_ns = 0;
  uint64_t stretches = 0;
  bool begins_with_window = false;
  bool ends_with_window = false;
};

// Goes over the recording by windows of time, which any number of threads share: so the times of
// all threads are read in order of time, and of one window at a time.
class CpuUsers {
 public:
  CpuUsers(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
           const TimeRange& range, int threads)
      : waits_(waits),
        vertex_of_entity_(vertex_of_entity),
        range_(range),
        threads_(ThreadCount(threads)),
        borders_ns_(
            SweepBorders(waits, range.from_ns, std::min(range.to_ns, waits.timeline().end_ns()))) {}

  void Add(uint32_t cpus, pb::Report& report, pb::Finding& finding) {
    is_member_.assign(static_cast<size_t>(report.vertices_size()), 0);
    for (const uint32_t id : finding.members()) is_member_[id] = 1;
    if (report.has_cluster()) cpus = CpusOfMembers(report.cluster());
    if (cpus == 0) return;
    LookAtWindows(report.has_cluster());
    if (ready_.ready_ns == 0) return;

    uint64_t members_ns = 0;
    uint64_t used_ns = 0;
    std::map<std::string, uint64_t> run_ns_of;
    for (size_t vertex = 0; vertex < run_ns_.size(); ++vertex) {
      if (run_ns_[vertex] == 0) continue;
      used_ns += run_ns_[vertex];
      (is_member_[vertex] != 0 ? members_ns
                               : run_ns_of[report.vertices(static_cast<int>(vertex)).name()]) +=
          run_ns_[vertex];
    }
    const double all_ns = static_cast<double>(ready_.ready_ns) * cpus;
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
    const double used_cpus = static_cast<double>(used_ns) / static_cast<double>(ready_.ready_ns);
    if (finding.has_cpu_quota()) return;
    TellFreeCpus(cpus - used_cpus, cpus, finding, report);
    if (used_cpus >= kFullResource * cpus) TellWhoFillsThem(finding, report);
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

  static bool IsOneThread(const pb::Finding& finding, const pb::Report& report) {
    return finding.members_size() == 1 &&
           report.vertices(static_cast<int>(finding.members(0))).members_size() <= 1;
  }

  // That a thread gets no CPU is no cause where others leave none: those are.
  static void TellWhoFillsThem(pb::Finding& finding, pb::Report& report) {
    std::vector<std::string> users;
    for (const pb::CpuUser& user : finding.cpu_users()) {  // largest first
      if (user.share() < kWorthASentence || users.size() == kUsersTold) break;
      const std::string own = IsOneThread(finding, report) ? "its own work" : "their own work";
      users.push_back(
          absl::StrCat(user.member() ? own : user.name(), " (", PercentText(user.share()), ")"));
    }
    if (users.empty()) return;
    AddToTitle(": ", absl::StrCat("the CPUs are full of ", Enumerate(users)), finding, report);
  }

  // Whoever is ready while a CPU is free is kept from it. But a woken thread is ready for as long
  // as an idle processor takes to come out of its sleep: that is no such case.
  void TellFreeCpus(double free_cpus, uint32_t cpus, pb::Finding& finding, pb::Report& report) {
    const bool are_slow_wakes = ready_.ready_ns <= kQuickWakeNs * ready_.stretches;
    if (are_slow_wakes || free_cpus < kMostOfTheTime) return;
    PutFirst(absl::StrFormat("Meanwhile %.1f CPUs were free on average: look for an affinity, a "
                             "cpuset or a cgroup quota that keeps it from them, or for other "
                             "guests of the same host.",
                             free_cpus),
             *finding.mutable_advice());
    // The kernel moves a thread that is ready to a CPU that is free within milliseconds.
    const std::set<uint32_t> used =
        report.has_cluster() ? std::set<uint32_t>() : CpusThatRanMembers();
    if (used.empty()) return;
    if (used.size() >= cpus) {
      finding.set_confidence(finding.confidence() * kTrustBesideFreeCpus);
      finding.add_doubts(
          "CPUs were free meanwhile, and it does run on all of them: it yields, or is moved late.");
      return;
    }
    const bool is_one = IsOneThread(finding, report);
    AddToTitle(
        ": ",
        absl::StrCat(is_one ? "it runs on " : "they run on ",
                     used.size() == 1 ? absl::StrCat("CPU ", *used.begin())
                                      : absl::StrCat(used.size(), " of ", cpus, " CPUs"),
                     " alone, and ", absl::StrFormat("%.1f of %d CPUs were free", free_cpus, cpus)),
        finding, report);
    finding.clear_natural_fixes();
    finding.set_no_natural_fix_because("a replay lets threads run on any CPU");
  }

  std::set<uint32_t> CpusThatRanMembers() const {
    std::set<uint32_t> cpus;
    ForEachThread([&](EntityId id, uint32_t vertex) {
      if (is_member_[vertex] == 0) return;
      ForEachSegmentOf(id, waits_, range_, [&](const ThreadSegment& segment, double) {
        if (segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kSpin)
          cpus.insert(segment.state);
      });
    });
    return cpus;
  }

  // Sums up when any member was ready, and by vertex how long its threads ran meanwhile.
  void LookAtWindows(bool has_nodes) {
    const size_t windows = borders_ns_.size() - 1;
    std::vector<ReadyTimes> ready(windows);
    std::vector<std::vector<uint64_t>> run_ns(static_cast<size_t>(threads_));
    ParallelFor(threads_, windows, [&](size_t i, int worker) {
      std::vector<uint64_t>& sums = run_ns[static_cast<size_t>(worker)];
      sums.resize(is_member_.size());
      const TimeRange window = {borders_ns_[i], borders_ns_[i + 1]};
      const std::vector<Stretch> stretches = ReadyIn(window);
      if (stretches.empty()) return;
      for (const Stretch& stretch : stretches) ready[i].ready_ns += stretch.to_ns - stretch.from_ns;
      ready[i].stretches = stretches.size();
      ready[i].begins_with_window = stretches.front().from_ns == window.from_ns;
      ready[i].ends_with_window = stretches.back().to_ns == window.to_ns;
      ForEachThread([&](EntityId id, uint32_t vertex) {
        // Other nodes' CPUs are of no use to them.
        if (has_nodes && !has_member_[waits_.entities()[id].node]) return;
        sums[vertex] += RunWhileReady(id, stretches, window);
      });
    });
    ready_ = {};
    bool goes_on = false;
    for (const ReadyTimes& of_window : ready) {
      ready_.ready_ns += of_window.ready_ns;
      ready_.stretches += of_window.stretches;
      if (goes_on && of_window.begins_with_window) --ready_.stretches;
      goes_on = of_window.ends_with_window;
    }
    run_ns_.assign(is_member_.size(), 0);
    for (const std::vector<uint64_t>& sums : run_ns) {
      for (size_t vertex = 0; vertex < sums.size(); ++vertex) run_ns_[vertex] += sums[vertex];
    }
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
  void ForEachSegment(EntityId id, const TimeRange& window, Function function) const {
    const Entity& entity = waits_.entities()[id];
    if (entity.begin_ns >= window.to_ns || entity.end_ns <= window.from_ns) return;
    for (SegmentCursor at = waits_.SegmentsFrom(id, window.from_ns);
         !at.done() && at.start_ns() < window.to_ns; at.Next()) {
      const Stretch within{std::max(at.start_ns(), window.from_ns),
                           std::min(at.end_ns(), window.to_ns)};
      if (within.from_ns < within.to_ns) function(at.segment().kind, within);
    }
  }

  // When any member was ready to run; in order, not touching.
  std::vector<Stretch> ReadyIn(const TimeRange& window) const {
    std::vector<Stretch> ready;
    ForEachThread([&](EntityId id, uint32_t vertex) {
      if (is_member_[vertex] == 0) return;
      ForEachSegment(id, window, [&](SegmentKind kind, const Stretch& stretch) {
        if (kind == SegmentKind::kRunnable) ready.push_back(stretch);
      });
    });
    std::vector<TimedIndex> order;
    for (uint32_t i = 0; i < ready.size(); ++i) order.push_back({ready[i].from_ns, i});
    std::vector<TimedIndex> scratch;
    SortByTime(order, scratch);
    std::vector<Stretch> united;
    for (const TimedIndex& entry : order) {
      const Stretch& stretch = ready[entry.index];
      if (!united.empty() && stretch.from_ns <= united.back().to_ns) {
        united.back().to_ns = std::max(united.back().to_ns, stretch.to_ns);
      } else {
        united.push_back(stretch);
      }
    }
    return united;
  }

  // Both are in order of time, so each is walked over once.
  uint64_t RunWhileReady(EntityId id, const std::vector<Stretch>& stretches,
                         const TimeRange& window) const {
    uint64_t run_ns = 0;
    auto ready = stretches.begin();
    ForEachSegment(id, window, [&](SegmentKind kind, const Stretch& run) {
      if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin) return;
      while (ready != stretches.end() && ready->to_ns <= run.from_ns) ++ready;
      for (auto at = ready; at != stretches.end() && at->from_ns < run.to_ns; ++at) {
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
  const TimeRange range_;
  const int threads_;
  const std::vector<uint64_t> borders_ns_;  // of windows
  std::vector<char> is_member_;             // by vertex
  std::vector<bool> has_member_;            // by node
  ReadyTimes ready_;                        // of the whole range
  std::vector<uint64_t> run_ns_;            // by vertex, while any member was ready
};

}  // namespace

void AddCpuUsers(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity, uint32_t cpus,
                 const TimeRange& range, int threads, pb::Report& report) {
  CpuUsers users(waits, vertex_of_entity, range, threads);
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (FactsOf(finding).lacks_cpus) users.Add(cpus, report, finding);
  }
  RankFindings(report);
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
