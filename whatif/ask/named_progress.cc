// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/named_progress.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/vertex_names.h"
#include "trace/event_words.h"
#include "whatif/ask/job.h"
#include "whatif/ask/recorded_names.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// The life of a node's tid that a moment belongs to.
class ThreadsByTid {
 public:
  ThreadsByTid(const Timeline& timeline, uint32_t node) : timeline_(timeline) {
    for (EntityId id = 0; id < timeline.thread_count(); ++id) {
      if (timeline.entities()[id].node == node) lives_[timeline.entities()[id].tid].push_back(id);
    }
  }
  EntityId At(int32_t tid, uint64_t time_ns) const {
    const auto lives = lives_.find(tid);
    if (lives == lives_.end()) return kNobody;
    for (const EntityId id : lives->second) {
      const Entity& entity = timeline_.entities()[id];
      if (entity.begin_ns <= time_ns && time_ns <= entity.end_ns) return id;
    }
    return kNobody;
  }

 private:
  const Timeline& timeline_;
  absl::flat_hash_map<int32_t, std::vector<EntityId>> lives_;
};

void AddProbeMarks(const Timeline& timeline, uint32_t node, const NodeEvents& events,
                   ProbeKind kind, const std::string& name, std::vector<ProgressMark>& marks) {
  const ThreadsByTid threads(timeline, node);
  // A phase's end names no phase: it ends the innermost of its thread.
  absl::flat_hash_map<int32_t, std::vector<bool>> open;
  MergedEvents cursor(events.session);
  while (cursor.Next()) {
    const TraceEvent& event = cursor.event();
    if (event.kind != EventKind::kProbe) continue;
    const auto named = [&] {
      return event.probe.name < cursor.block().names.size() &&
             cursor.block().names[event.probe.name] == name;
    };
    bool counts = false;
    if (event.probe.kind == ProbeKind::kPhaseBegin) {
      open[event.probe.tid].push_back(named());
    } else if (event.probe.kind == ProbeKind::kPhaseEnd) {
      std::vector<bool>& phases = open[event.probe.tid];
      counts = kind == ProbeKind::kPhaseEnd && !phases.empty() && phases.back();
      if (!phases.empty()) phases.pop_back();
    } else {
      counts = event.probe.kind == kind && named();
    }
    if (!counts) continue;
    const uint64_t clock_ns = events.to_timeline(event.time_ns);
    if (timeline.pauses().Holds(clock_ns)) continue;
    const uint64_t time_ns = timeline.pauses().RecordedTime(clock_ns);
    if (time_ns < timeline.start_ns() || time_ns > timeline.end_ns()) continue;
    const EntityId thread = threads.At(event.probe.tid, time_ns);
    if (thread != kNobody) marks.push_back({thread, time_ns});
  }
}

// Counts of a probe, or ends of a phase.
std::vector<ProgressMark> ProbeMarks(const Timeline& timeline, std::span<const NodeEvents> events,
                                     ProbeKind kind, const std::string& name) {
  std::vector<ProgressMark> marks;
  for (uint32_t node = 0; node < events.size(); ++node)
    AddProbeMarks(timeline, node, events[node], kind, name, marks);
  return marks;
}

bool IsTargetsThread(const pb::ReportVertex* vertex) {
  return vertex != nullptr && vertex->target() && IsThreadKind(vertex->kind());
}

// Of the target's threads those that wait longest for others of them, less what others wait for
// them: what the target does is done there, be it held up through threads in between.
std::optional<uint32_t> EndOfTarget(const pb::Report& report, const VertexNames& names) {
  std::map<uint32_t, double> net_wait_s;
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() == edge.to() || !IsTargetsThread(names.Find(edge.from())) ||
        !IsTargetsThread(names.Find(edge.to())))
      continue;
    net_wait_s[edge.from()] += edge.own_s();
    net_wait_s[edge.to()] -= edge.own_s();
  }
  std::optional<uint32_t> end;
  for (const auto& [vertex, wait_s] : net_wait_s)
    if (wait_s > 0 && (!end || wait_s > net_wait_s[*end])) end = vertex;
  return end;
}

// The first finding's threads.
std::vector<uint32_t> ThreadsOfFinding(const pb::Report& report, const VertexNames& names) {
  std::vector<uint32_t> threads;
  if (report.findings().empty()) return threads;
  for (const uint32_t member : report.findings(0).members()) {
    const pb::ReportVertex* vertex = names.Find(member);
    if (vertex != nullptr && IsThreadKind(vertex->kind())) threads.push_back(member);
  }
  return threads;
}

// A stranger may go on as before when the target gains.
bool AreStrangers(const std::vector<uint32_t>& threads, const VertexNames& names) {
  return !threads.empty() && std::none_of(threads.begin(), threads.end(), [&](uint32_t vertex) {
    return names.Find(vertex)->target();
  });
}

// The target's thread that waits longest for these.
std::optional<uint32_t> WhoOfTargetWaitsFor(const std::vector<uint32_t>& threads,
                                            const pb::Report& report, const VertexNames& names) {
  const pb::ReportEdge* longest = nullptr;
  for (const pb::ReportEdge& edge : report.edges()) {
    const bool is_for_them = std::find(threads.begin(), threads.end(), edge.to()) != threads.end();
    if (!is_for_them || !IsTargetsThread(names.Find(edge.from()))) continue;
    if (longest == nullptr || edge.own_s() > longest->own_s()) longest = &edge;
  }
  if (longest == nullptr) return std::nullopt;
  return longest->from();
}

// The first finding's threads sleep while others wait for them.
bool SleepsWhileOthersWait(const pb::Report& report) {
  return !report.findings().empty() && report.findings(0).kind() == "sleep";
}

// Whose cycles may be the throughput, best first: those of the first finding's threads; without
// any, of the thread in scope that runs most. If they are strangers to the target, of its own end,
// or of who of it waits for them. Who sleeps goes round by the clock, whatever a change gains for
// those that wait for it meanwhile: their cycles count, too.
std::vector<std::vector<uint32_t>> KnotThreads(const pb::Report& report, const VertexNames& names) {
  std::vector<std::vector<uint32_t>> choices;
  std::vector<uint32_t> threads = ThreadsOfFinding(report, names);
  const std::optional<uint32_t> waiter = WhoOfTargetWaitsFor(threads, report, names);
  if (AreStrangers(threads, names)) {
    if (const auto end = EndOfTarget(report, names)) choices.push_back({*end});
    if (waiter) choices.push_back({*waiter});
  } else if (waiter && SleepsWhileOthersWait(report) &&
             std::find(threads.begin(), threads.end(), *waiter) == threads.end()) {
    threads.push_back(*waiter);
  }
  if (!threads.empty()) choices.push_back(threads);
  if (!choices.empty()) return choices;
  const pb::ReportVertex* busiest = nullptr;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (!vertex.in_scope() || !IsThreadKind(vertex.kind())) continue;
    if (busiest == nullptr || vertex.run_s() > busiest->run_s()) busiest = &vertex;
  }
  choices.emplace_back();
  if (busiest != nullptr) choices.back().push_back(busiest->id());
  return choices;
}

NamedProgress CyclesOfThese(const AnalyzedRecording& recording, const VertexNames& names,
                            std::vector<uint32_t> vertices) {
  constexpr size_t kNamed = 3;
  NamedProgress progress;
  progress.marks = CycleMarks(recording.timeline, recording.vertex_of_entity, vertices);
  for (size_t i = 0; i < std::min(kNamed, vertices.size()); ++i)
    absl::StrAppend(&progress.what, i == 0 ? "cycles of " : ", ", names.Name(vertices[i]));
  if (vertices.size() > kNamed) absl::StrAppend(&progress.what, " and others");
  progress.cycles_of = std::move(vertices);
  return progress;
}

// Idle threads of a pool wait longer for others than who works, and have hardly a cycle: they are
// no end of anything. So it is the first of these with enough cycles for a rate, or with most.
NamedProgress CyclesOf(const AnalyzedRecording& recording, const VertexNames& names) {
  NamedProgress best;
  for (const std::vector<uint32_t>& threads : KnotThreads(recording.report, names)) {
    NamedProgress progress = CyclesOfThese(recording, names, threads);
    if (best.what.empty() || progress.marks.size() > best.marks.size()) best = std::move(progress);
    if (best.marks.size() >= kFewMarks) break;
  }
  return best;
}

// System calls are in a recording only if it was asked to count them.
absl::StatusOr<NamedProgress> CallProgress(const Timeline& timeline,
                                           std::span<const NodeEvents> events,
                                           const std::string& name) {
  std::set<std::string> counted;
  for (const NodeEvents& node : events) {
    const auto& calls = node.session.session().options().counted_calls();
    counted.insert(calls.begin(), calls.end());
  }
  if (counted.contains(name))
    return NamedProgress{ProbeMarks(timeline, events, ProbeKind::kCount, CounterOfCall(name)),
                         absl::StrCat("calls of ", CleanText(name))};
  return absl::NotFoundError(
      absl::StrCat("--progress syscall ", CleanText(name), ": this recording counts ",
                   counted.empty() ? "no system calls"
                                   : absl::StrCat("only ", CleanText(absl::StrJoin(counted, ", "))),
                   "; record with --count-call ", CleanText(name),
                   ", or give 'wakes THREAD' for the thread that makes the call"));
}

void AddMarks(const std::vector<ProgressMark>& more, std::vector<ProgressMark>& marks) {
  marks.insert(marks.end(), more.begin(), more.end());
}

// Answers, or what clients wait for where no packets tell answers (unix sockets). Empty if they are
// too few to be what the target is there for.
NamedProgress ProgressForClients(const AnalyzedRecording& recording, const VertexNames& names) {
  if (recording.answers != nullptr && recording.answers->marks.size() >= kFewMarks)
    return {recording.answers->marks, recording.answers->what};
  const Timeline& timeline = recording.timeline;
  std::vector<uint8_t> is_target(timeline.thread_count());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    is_target[thread] = IsTargetsThread(names.Find(recording.vertex_of_entity[thread])) ? 1 : 0;
  NamedProgress progress = {.marks = ClientMarks(timeline, is_target),
                            .what = "what other programs wait for"};
  if (progress.marks.size() < kFewMarks) progress.marks.clear();
  return progress;
}

bool Holds(const NamedVertices& named, uint32_t vertex) {
  return std::find(named.ids.begin(), named.ids.end(), vertex) != named.ids.end();
}

}  // namespace

absl::StatusOr<NamedProgress> DefaultProgress(const AnalyzedRecording& recording) {
  if (IsJob(recording)) return JobProgress(recording);
  const VertexNames names(recording.report);
  if (recording.answers != nullptr && !recording.answers->marks.empty() &&
      AreStrangers(ThreadsOfFinding(recording.report, names), names))
    return NamedProgress{recording.answers->marks, recording.answers->what};
  if (NamedProgress for_clients = ProgressForClients(recording, names); !for_clients.marks.empty())
    return for_clients;
  return CyclesOf(recording, names);
}

std::optional<NamedProgress> CyclesInstead(const NamedProgress& otherwise,
                                           std::span<const uint32_t> vertices,
                                           const AnalyzedRecording& recording) {
  if (otherwise.cycles_of.empty() || vertices.empty()) return std::nullopt;
  const std::set<uint32_t> wanted(vertices.begin(), vertices.end());
  if (wanted == std::set<uint32_t>(otherwise.cycles_of.begin(), otherwise.cycles_of.end()))
    return std::nullopt;
  NamedProgress theirs =
      CyclesOfThese(recording, VertexNames(recording.report), {vertices.begin(), vertices.end()});
  if (theirs.marks.size() < kFewMarks) return std::nullopt;
  return theirs;
}

absl::StatusOr<NamedProgress> ReadProgress(const AnalyzedRecording& recording,
                                           const std::string& text,
                                           std::span<const NodeEvents> events) {
  if (text.empty()) return DefaultProgress(recording);
  const size_t blank = text.find(' ');
  const std::string kind = text.substr(0, blank);
  const std::string name = blank == std::string::npos ? "" : text.substr(blank + 1);
  const Timeline& timeline = recording.timeline;
  const RecordedNames names(recording);
  if (kind == "io") {
    if (name.empty()) return NamedProgress{DiskMarks(timeline, kNobody), "requests to disks"};
    const auto disks = names.Find(name, [&](uint32_t vertex) { return names.IsDisk(vertex); });
    if (!disks.ok()) return disks.status();
    if (disks->ids.empty())
      return absl::InvalidArgumentError(
          absl::StrCat("--progress io ", CleanText(name), ": that is no disk"));
    NamedProgress progress = {.marks = {}, .what = absl::StrCat("requests to ", disks->name)};
    for (EntityId id = timeline.thread_count(); id < timeline.entities().size(); ++id) {
      if (Holds(*disks, recording.vertex_of_entity[id]))
        AddMarks(DiskMarks(timeline, id), progress.marks);
    }
    return progress;
  }
  if (kind == "wakes" && !name.empty()) {
    const auto woken = names.Find(name, [](uint32_t) { return true; });
    if (!woken.ok()) return woken.status();
    NamedProgress progress = {.marks = {}, .what = absl::StrCat("wakes of ", woken->name)};
    for (const uint32_t vertex : woken->ids)
      AddMarks(WakeMarks(timeline, recording.vertex_of_entity, vertex), progress.marks);
    return progress;
  }
  if (kind == "probe" && !name.empty())
    return NamedProgress{ProbeMarks(timeline, events, ProbeKind::kCount, name),
                         absl::StrCat("counts of probe ", CleanText(name))};
  if (kind == "phase" && !name.empty())
    return NamedProgress{ProbeMarks(timeline, events, ProbeKind::kPhaseEnd, name),
                         absl::StrCat("phases ", CleanText(name))};
  if (kind == "syscall" && !name.empty()) return CallProgress(timeline, events, name);
  return absl::InvalidArgumentError(absl::StrCat(
      "--progress ", CleanText(text),
      ": give 'wakes THREAD', 'io', 'io DISK', 'syscall NAME', 'probe NAME' or 'phase NAME'"));
}

}  // namespace gordian
