// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording_participation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analysis/recorded_phases.h"
#include "base/time_units.h"
#include "participation/activity_graph.h"
#include "participation/recorded_participation.h"
#include "participation/recorded_rows.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

absl::StatusOr<std::vector<ParticipationWindowTimes>> WindowsOfRequest(
    const ParticipationRequest& request, const Timeline& timeline) {
  const uint64_t from_ns = request.between ? request.between->from_ns : request.from_ns;
  const uint64_t to_ns = request.between ? request.between->to_ns : request.to_ns;
  if (from_ns >= to_ns) return absl::InvalidArgumentError("the range ends before it begins");
  const TimeRange range = RangeOf(timeline.start_ns(), timeline.end_ns(), from_ns, to_ns);
  if (range.length_ns() == 0)
    return absl::InvalidArgumentError("the recording ends before the range begins");
  const uint64_t window_ns = request.between ? 0 : request.window_ns;
  if (window_ns > 0 && range.length_ns() / window_ns >= kMaxParticipationWindows)
    return absl::InvalidArgumentError(absl::StrCat("that would be more than ",
                                                   FormatCount(kMaxParticipationWindows),
                                                   " windows: choose a larger --window"));
  return WindowsOf(range.from_ns, range.to_ns, window_ns);
}

std::string NameOfThread(const Timeline& timeline, EntityId id) {
  const Entity& entity = timeline.entities()[id];
  std::string label = CleanText(ThreadLabel(entity.name, entity.tid));
  if (timeline.nodes().empty()) return label;
  return absl::StrCat(CleanText(timeline.nodes()[entity.node]), "/", label);
}

// The program's own function where a stack shows one, else the innermost.
std::string FunctionOfStack(const Code& code, uint32_t stack_id) {
  const CodePath path = code.PathOf(stack_id, StackSide::kRunning);
  if (const CodeFrame* frame = ProgramFrame(path, code)) return CleanText(FrameName(*frame));
  return CleanText(FrameName(code.frame(path.front())));
}

std::vector<WeightedStack> StacksOf(const RecordedGraph& graph,
                                    std::span<const WindowParticipation> windows,
                                    const Code& code) {
  std::vector<WeightedStack> stacks;
  for (const CriticalStack& critical : CriticalStacks(graph, windows)) {
    const Entity& thread = graph.timeline.entities()[critical.thread];
    stacks.push_back({.process = thread.process_name.empty() ? "?" : CleanText(thread.process_name),
                      .thread = NameOfThread(graph.timeline, critical.thread),
                      .path = critical.is_sampled
                                  ? code.PathOf(critical.stack_id, StackSide::kRunning)
                                  : CodePath(),
                      .waits_for = "",
                      .seconds = critical.ns / kNsPerSecond,
                      .samples = critical.samples});
  }
  return stacks;
}

bool NeedsSamples(const ParticipationRequest& request) {
  return std::any_of(request.by.begin(), request.by.end(), [](ParticipationBy by) {
    return by == ParticipationBy::kFunction || by == ParticipationBy::kOperator;
  });
}

}  // namespace

absl::StatusOr<RecordingParticipation> ParticipationIn(const Analysis& analysis,
                                                       const RecordedPhases& phases,
                                                       const ParticipationRequest& request,
                                                       bool with_stacks,
                                                       const ParticipateElsewhere& elsewhere) {
  const Timeline& timeline = analysis.timeline();
  const auto windows = WindowsOfRequest(request, timeline);
  if (!windows.ok()) return windows.status();
  const std::vector<uint8_t> is_target = analysis.TargetThreads();
  const RecordedGraph graph = {.timeline = timeline,
                               .is_target = is_target,
                               .phases = phases.phases,
                               .activity_of_phase = phases.activities,
                               .keep_samples = with_stacks || NeedsSamples(request)};
  std::vector<WindowParticipation> swept;
  if (elsewhere) {
    auto told = elsewhere(graph, *windows);
    if (!told.ok()) return told.status();
    swept = *std::move(told);
  } else {
    swept = ParticipationOfWindows(graph, *windows, analysis.threads());
  }
  const VertexNames vertex_names(analysis.report());
  const auto& vertex_of_entity = analysis.merged_graph().vertex_of_entity;
  const RecordedRowNames names = {
      .thread = [&](EntityId id) { return NameOfThread(timeline, id); },
      .vertex = [&](EntityId id) { return vertex_names.Name(vertex_of_entity[id]); },
      .phase = [&](uint32_t name) { return phases.names[name]; },
      .function_of_stack = [&](uint32_t id) { return FunctionOfStack(analysis.code(), id); }};
  RecordingParticipation result;
  for (const ParticipationBy by : request.by)
    result.answers.push_back(RowsOf(graph, swept, by, names));
  if (phases.words_left_out > 0) {
    for (pb::Participation& answer : result.answers) {
      pb::ParticipationCounter& counter = *answer.add_counters();
      counter.set_name("phases_over_limit");
      counter.set_value(phases.words_left_out);
    }
  }
  if (!with_stacks) return result;
  result.stacks = StacksOf(graph, swept, analysis.code());
  result.code = analysis.code();
  for (const ParticipationWindowTimes& window : *windows)
    result.recorded_seconds += static_cast<double>(window.to_ns - window.from_ns) / kNsPerSecond;
  return result;
}

absl::Status CheckParticipation(const ParticipationRequest& request, const Timeline& timeline) {
  return WindowsOfRequest(request, timeline).status();
}

absl::StatusOr<RecordingParticipation> ParticipationOfRecording(const std::string& directory,
                                                                const ParticipationRequest& request,
                                                                const AnalysisOptions& options,
                                                                bool with_stacks,
                                                                const AnalysisProgress& progress) {
  auto recording =
      ReadRecording(directory, options.reading(), BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  // A range without time is told before the work.
  if (absl::Status status = CheckParticipation(request, *recording->timeline); !status.ok())
    return status;
  const RecordedPhases phases = ReadThreadPhases(*recording);
  const auto analysis = Analysis::Run(*std::move(recording), options, progress);
  if (!analysis.ok()) return analysis.status();
  return ParticipationIn(*analysis, phases, request, with_stacks);
}

}  // namespace gordian
