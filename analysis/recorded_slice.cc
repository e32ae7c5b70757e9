// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_slice.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/recorded_phases.h"
#include "analysis/slice_names.h"
#include "base/parallel.h"
#include "participation/recorded_participation.h"
#include "report/time_range.h"
#include "trace/counters.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

constexpr size_t kMostThreadsNamed = 5;

absl::Status NoSuchThread(const std::string& directory, const std::string& thread) {
  return absl::NotFoundError(absl::StrCat("no thread ", CleanText(thread),
                                          " lives then; gordian graph --no-merge ", directory,
                                          " lists the threads"));
}

// By its name or its number, as a person may call it.
bool IsThreadOf(const SliceQuestion& question, const Timeline& timeline, EntityId id) {
  const Entity& entity = timeline.entities()[id];
  int32_t tid = 0;
  const bool is_called = absl::SimpleAtoi(question.thread, &tid)
                             ? entity.tid == tid
                             : entity.name == question.thread ||
                                   ThreadLabel(entity.name, entity.tid) == question.thread;
  return is_called && (question.node.empty() || (!timeline.nodes().empty() &&
                                                 timeline.nodes()[entity.node] == question.node));
}

// The one thread of that name or number that lives within the range, and at that moment, if one is
// told.
absl::StatusOr<EntityId> FindThread(const std::string& directory, const SliceQuestion& question,
                                    const Timeline& timeline, const TimeRange& range) {
  std::vector<EntityId> found;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    const uint64_t at_ns = timeline.start_ns() + question.at_ns.value_or(0);
    const bool lives = question.at_ns
                           ? entity.begin_ns <= at_ns && at_ns <= entity.end_ns
                           : entity.begin_ns < range.to_ns && entity.end_ns > range.from_ns;
    if (lives && IsThreadOf(question, timeline, id)) found.push_back(id);
  }
  if (found.empty()) return NoSuchThread(directory, question.thread);
  if (found.size() == 1) return found.front();
  std::string names;
  for (size_t i = 0; i < std::min(found.size(), kMostThreadsNamed); ++i)
    absl::StrAppend(&names, i == 0 ? "" : ", ", SliceThreadLabel(timeline, found[i]));
  if (found.size() > kMostThreadsNamed) names += ", …";
  return absl::InvalidArgumentError(
      absl::StrCat("--thread ", CleanText(question.thread), " means ", FormatCount(found.size()),
                   " threads: tell the number, the node or the time of one (", names, ")"));
}

absl::Status NoSuchPhase(const SliceQuestion& question, const RecordedPhases& phases,
                         size_t found) {
  const std::string name = CleanText(question.phase);
  if (found > 0)
    return absl::NotFoundError(absl::StrCat("there are only ", FormatCount(found, "phase"), " ",
                                            name, " then, so no number ", question.phase_number));
  std::vector<std::string> names(phases.names.begin() + 1, phases.names.end());
  std::sort(names.begin(), names.end());
  if (names.empty())
    return absl::NotFoundError("no program told of phases while this was recorded");
  const bool are_more = names.size() > kMostThreadsNamed;
  if (are_more) names.resize(kMostThreadsNamed);
  return absl::NotFoundError(absl::StrCat("no phase ", name, " begins then; programs told ",
                                          absl::StrJoin(names, ", "), are_more ? ", …" : ""));
}

struct SlicedPhase {
  ThreadPhase phase;
  pb::AskedPhase told;
};

// The phase that is asked for.
absl::StatusOr<SlicedPhase> FindPhase(const SliceQuestion& question, const Timeline& timeline,
                                      const RecordedPhases& phases, const TimeRange& range) {
  std::vector<ThreadPhase> found;
  for (const std::vector<ThreadPhase>* some : {&phases.whole, &phases.unended}) {
    for (const ThreadPhase& phase : *some) {
      if (phases.names[phase.name] == CleanText(question.phase) && phase.from_ns >= range.from_ns &&
          phase.from_ns < range.to_ns &&
          (question.thread.empty() || IsThreadOf(question, timeline, phase.thread)))
        found.push_back(phase);
    }
  }
  if (found.empty() || question.phase_number > found.size())
    return NoSuchPhase(question, phases, found.size());
  std::sort(found.begin(), found.end(), [](const ThreadPhase& a, const ThreadPhase& b) {
    return std::tie(a.from_ns, a.thread, b.to_ns) < std::tie(b.from_ns, b.thread, a.to_ns);
  });
  const auto chosen = question.phase_number > 0
                          ? found.begin() + (question.phase_number - 1)
                          : std::max_element(found.begin(), found.end(),
                                             [](const ThreadPhase& a, const ThreadPhase& b) {
                                               return a.to_ns - a.from_ns < b.to_ns - b.from_ns;
                                             });
  SlicedPhase result = {.phase = *chosen, .told = {}};
  result.told.set_name(phases.names[chosen->name]);
  result.told.set_thread(SliceThreadLabel(timeline, chosen->thread));
  result.told.set_number(static_cast<uint32_t>(chosen - found.begin()) + 1);
  result.told.set_count(static_cast<uint32_t>(found.size()));
  return result;
}

// From the phase's beginning to its end, or what the range leaves of it.
TimeRange WithinPhase(const TimeRange& range, const ThreadPhase& phase) {
  return {std::max(range.from_ns, phase.from_ns), std::min(range.to_ns, phase.to_ns)};
}

SliceRequest RequestForPhase(const SliceQuestion& question, const TimeRange& range,
                             const ThreadPhase& phase) {
  const TimeRange within = WithinPhase(range, phase);
  SliceRequest request = question.request;
  request.thread = phase.thread;
  request.from_ns = within.from_ns;
  request.to_ns = within.to_ns;
  request.at_ns = request.forward ? within.from_ns : within.to_ns;
  return request;
}

absl::StatusOr<SliceRequest> RequestFor(const std::string& directory, const SliceQuestion& question,
                                        const Timeline& timeline) {
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), question.range.from_ns, question.range.to_ns);
  if (range.length_ns() == 0) return absl::InvalidArgumentError("the range holds no time");
  const auto thread = FindThread(directory, question, timeline, range);
  if (!thread.ok()) return thread.status();
  SliceRequest request = question.request;
  request.thread = *thread;
  request.from_ns = range.from_ns;
  request.to_ns = range.to_ns;
  const Entity& entity = timeline.entities()[*thread];
  if (question.at_ns) {
    request.at_ns =
        timeline.start_ns() + std::min(*question.at_ns, timeline.end_ns() - timeline.start_ns());
  } else {
    request.at_ns = request.forward ? std::max(range.from_ns, entity.begin_ns)
                                    : std::min(range.to_ns, entity.end_ns);
  }
  const bool within = request.forward
                          ? range.from_ns <= request.at_ns && request.at_ns < range.to_ns
                          : range.from_ns < request.at_ns && request.at_ns <= range.to_ns;
  if (!within)
    return absl::InvalidArgumentError("--at is not within the range, or nothing lies beyond it");
  return request;
}

void AddCount(std::string_view name, uint64_t value,
              google::protobuf::RepeatedPtrField<pb::SliceCount>& counts) {
  if (value == 0) return;
  pb::SliceCount& count = *counts.Add();
  count.set_name(std::string(name));
  count.set_value(value);
}

pb::Slice Told(const ExecutionGraph& graph, const SliceRequest& request, const Slice& slice,
               SliceBy by, const SliceNames& names) {
  const Timeline& timeline = graph.timeline();
  pb::Slice told;
  told.set_thread(names.thread(request.thread));
  told.set_at_ns(request.at_ns - timeline.start_ns());
  told.set_forward(request.forward);
  told.set_scope(std::string(kCausalScopeNames[static_cast<size_t>(request.scope)]));
  SliceSums sums(graph, by, names);
  uint64_t from_ns = request.at_ns;
  uint64_t to_ns = request.at_ns;
  for (const SliceStretch& stretch : slice.stretches) {
    sums.Add(stretch);
    from_ns = std::min(from_ns, stretch.from_ns);
    to_ns = std::max(to_ns, stretch.to_ns);
  }
  told.set_from_ns(from_ns - timeline.start_ns());
  told.set_to_ns(to_ns - timeline.start_ns());
  *told.mutable_all() = sums.All();
  told.set_hops(slice.counts.hops);
  for (size_t kind = 0; kind < kCauseEdges; ++kind)
    AddCount(kCauseEdgeNames[kind], slice.counts.edges[kind], *told.mutable_edges());
  told.set_by(std::string(kSliceByNames[static_cast<size_t>(by)]));
  for (pb::SliceRow& row : sums.Rows()) *told.add_rows() = std::move(row);
  for (pb::SliceNode& node : FoldedTree(graph, slice, names.name))
    *told.add_tree() = std::move(node);
  const SliceDoubts& doubts = slice.counts.doubts;
  AddCount("waits_by_likeness", doubts.waits_by_likeness, *told.mutable_counters());
  AddCount("waits_not_known", doubts.waits_not_known, *told.mutable_counters());
  AddCount("causes_asleep", doubts.causes_asleep, *told.mutable_counters());
  for (const NamedCount& loss : timeline.counters()) {
    const CounterDefinition* definition = FindCounter(loss.name);
    if (definition != nullptr && definition->severity != CounterSeverity::kInfo)
      AddCount(loss.name, loss.value, *told.mutable_counters());
  }
  return told;
}

}  // namespace

absl::StatusOr<RecordedSlice> SliceOfRecording(const std::string& directory,
                                               const SliceQuestion& question,
                                               const AnalysisOptions& options,
                                               const AnalysisProgress& progress) {
  auto recording =
      ReadRecording(directory, options.reading(), BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  const RecordedPhases phases = ReadThreadPhases(*recording);
  return SliceIn(*std::move(recording), phases, question, options.threads);
}

absl::StatusOr<RecordedSlice> SliceIn(LoadedRecording recording, const RecordedPhases& phases,
                                      const SliceQuestion& question, int threads) {
  const Timeline& timeline = *recording.timeline;
  std::optional<SlicedPhase> phase;
  absl::StatusOr<SliceRequest> request = SliceRequest{};
  if (question.phase.empty()) {
    request = RequestFor(recording.directory, question, timeline);
  } else {
    const TimeRange range = RangeOf(timeline.start_ns(), timeline.end_ns(), question.range.from_ns,
                                    question.range.to_ns);
    auto found = FindPhase(question, timeline, phases, range);
    if (!found.ok()) return found.status();
    request = RequestForPhase(question, range, found->phase);
    phase = *std::move(found);
  }
  if (!request.ok()) return request.status();
  const ExecutionGraph graph(timeline, phases.phases);
  bool unreadable = false;
  const Code code = question.by == SliceBy::kFunction ? ReadCode(recording, unreadable) : Code();
  RecordedSlice result;
  result.slice = SliceOf(graph, *request, ThreadCount(threads));
  result.told =
      Told(graph, *request, result.slice, question.by, SliceNamesOf(timeline, phases, code));
  if (phase) *result.told.mutable_phase() = phase->told;
  if (unreadable) AddCount("symbols_unreadable", 1, *result.told.mutable_counters());
  result.recording = std::move(recording);
  return result;
}

absl::StatusOr<pb::CriticalPath> CriticalPathOfRecording(const std::string& directory,
                                                         const SliceQuestion& question,
                                                         const AnalysisOptions& options,
                                                         const AnalysisProgress& progress) {
  const auto recording =
      ReadRecording(directory, options.reading(), BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  return CriticalPathIn(*recording, ReadThreadPhases(*recording), question, options.threads);
}

absl::StatusOr<pb::CriticalPath> CriticalPathIn(const LoadedRecording& recording,
                                                const RecordedPhases& phases,
                                                const SliceQuestion& question, int threads) {
  const Timeline& timeline = *recording.timeline;
  TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), question.range.from_ns, question.range.to_ns);
  if (range.length_ns() == 0) return absl::InvalidArgumentError("the range holds no time");
  pb::CriticalPath path;
  std::vector<uint8_t> is_end(timeline.thread_count());
  if (!question.phase.empty()) {
    auto found = FindPhase(question, timeline, phases, range);
    if (!found.ok()) return found.status();
    range = WithinPhase(range, found->phase);
    is_end[found->phase.thread] = 1;
    *path.mutable_phase() = std::move(found->told);
  } else if (question.thread.empty()) {
    is_end = EndsOfCriticalPaths(timeline, question.whole);
  } else {
    SliceQuestion of_range = question;
    of_range.at_ns = std::nullopt;
    const auto thread = FindThread(recording.directory, of_range, timeline, range);
    if (!thread.ok()) return thread.status();
    is_end[*thread] = 1;
  }
  const WindowParticipation window = CriticalPathWithin(timeline, phases, is_end, range, threads);
  path.set_from_ns(range.from_ns - timeline.start_ns());
  path.set_to_ns((window.paths == 0 ? range.from_ns : window.paths_to_ns) - timeline.start_ns());
  for (const CriticalStretch& stretch : window.path) {
    pb::CriticalStep& step = *path.add_steps();
    step.set_from_ns(stretch.from_ns - timeline.start_ns());
    step.set_to_ns(stretch.to_ns - timeline.start_ns());
    const bool is_message = stretch.sender != kNobody;
    const EntityId from = is_message ? stretch.sender : stretch.thread;
    step.set_worker(SliceThreadLabel(timeline, from));
    step.set_to_worker(is_message ? SliceThreadLabel(timeline, stretch.thread) : step.worker());
    step.set_activity(std::string(NameOf(stretch.activity)));
    if (stretch.phase != kNoPhase) step.set_label(phases.names[stretch.phase]);
  }
  const auto count = [&path](std::string_view name, uint64_t value) {
    if (value == 0) return;
    pb::ParticipationCounter& counter = *path.add_counters();
    counter.set_name(std::string(name));
    counter.set_value(value);
  };
  count("waits_not_ended", window.doubts.waits_not_ended);
  count("wakes_by_sleepers", window.doubts.wakes_by_sleepers);
  count("births_without_creator", window.doubts.births_without_creator);
  count("messages_by_sleepers", window.doubts.messages_by_sleepers);
  return path;
}

}  // namespace gordian
