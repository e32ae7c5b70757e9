// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/ask.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "whatif/ask/answer.h"
#include "whatif/ask/asked_stretches.h"
#include "whatif/ask/change_table.h"
#include "whatif/ask/named_progress.h"
#include "whatif/ask/questions_left.h"
#include "whatif/ask/used_up_quota.h"
#include "whatif/replay/replay.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::vector<uint8_t> KernelVertices(const AnalyzedRecording& recording) {
  std::vector<uint8_t> is_kernel;
  for (EntityId id = 0; id < recording.timeline.thread_count(); ++id) {
    const uint32_t vertex = recording.vertex_of_entity[id];
    if (vertex >= is_kernel.size()) is_kernel.resize(vertex + 1);
    if (recording.timeline.entities()[id].kernel_thread) is_kernel[vertex] = 1;
  }
  return is_kernel;
}

std::vector<uint32_t> ScopeOf(const AnalyzedRecording& recording) {
  const auto& vertices = recording.report.scope().vertices();
  return {vertices.begin(), vertices.end()};
}

// All but the progress. `one_in_left`: as OneInHowManyLeft.
ReplayOptions OptionsOf(const AnalyzedRecording& recording, const NamedChanges& changes,
                        uint32_t one_in_left) {
  ReplayOptions options;
  options.changes = one_in_left == 0 ? changes.changes : WithoutQuestions(changes.changes);
  options.paths =
      CallPaths(recording.stacks, recording.code, changes.removed, KernelVertices(recording));
  for (const uint32_t woken : changes.changes.no_false_wakeups)
    options.wake_paths.push_back(WakePaths(recording.stacks, recording.code, woken));
  options.loops = LoopShares(recording.stacks, recording.code);
  options.tick_loops = options.loops;
  if (!changes.changes.more_at_once.empty()) {
    options.sleep_costs = SleepCosts(recording.stacks, recording.code);
  }
  if (changes.changes.more_at_once.empty())
    options.wake_shares = WakeShares(recording.stacks, recording.code);
  options.candidates = ScopeOf(recording);
  options.quota_groups = QuotaGroupsOf(recording, changes.changes.quotas);
  return options;
}

ReplayResult LeftOf(const ReplayResult& result, uint32_t one_in_left) {
  return one_in_left == 0 ? result : WithQuestionsLeft(result, one_in_left);
}

absl::StatusOr<pb::WhatIf> Ask(const AnalyzedRecording& recording, const WhatIfRequest& request,
                               const absl::StatusOr<NamedProgress>& progress,
                               PreparedReplays* prepared = nullptr) {
  const auto changes = ReadChanges(recording, request);
  if (!changes.ok()) return changes.status();
  const auto one_in = OneInHowManyLeft(recording, changes->changes);
  if (!one_in.ok()) return one_in.status();
  if (!progress.ok()) return progress.status();
  // What others have prepared is for their progress.
  PreparedReplays own;
  const auto instead = CyclesInstead(*progress, changes->count_cycles_of, recording);
  if (instead && prepared != nullptr) own.on_replay = prepared->on_replay;
  const NamedProgress& counted = instead ? *instead : *progress;
  ReplayOptions options = OptionsOf(recording, *changes, *one_in);
  options.marks = counted.marks;
  options.is_job = counted.is_job;
  const auto result = ReplayTimeline(recording.timeline, recording.vertex_of_entity, options,
                                     instead ? &own : prepared);
  if (instead && prepared != nullptr) {
    if (own.given_up_with) prepared->given_up_with = own.given_up_with;
    prepared->replayed_steps += own.replayed_steps;
  }
  if (!result.ok()) return result.status();
  return AnswerOf(recording, *changes, counted, LeftOf(*result, *one_in));
}

std::string StretchesDoubt(const Timeline& whole, std::span<const ReplayedStretch> stretches,
                           size_t answered) {
  const uint64_t each_ns = stretches.front().to_ns - stretches.front().from_ns;
  return absl::StrCat("the replay of threads is of ", answered, " stretches", " of the recording, ",
                      SecondsText(SecondsOf(each_ns * answered)), " of ",
                      SecondsText(SecondsOf(whole.end_ns() - whole.start_ns())),
                      "; ask about a shorter time to have all of it replayed");
}

// FailedPrecondition if they do not tell.
absl::StatusOr<pb::WhatIf> AskStretches(const AnalyzedRecording& recording,
                                        const WhatIfRequest& request,
                                        std::span<const NodeEvents> events,
                                        std::span<const ReplayedStretch> stretches,
                                        const std::function<bool()>& on_replay) {
  const auto changes = ReadChanges(recording, request);
  if (!changes.ok()) return changes.status();
  const auto one_in = OneInHowManyLeft(recording, changes->changes);
  if (!one_in.ok()) return one_in.status();
  std::optional<NamedProgress> given;
  if (!request.progress.empty()) {
    auto named = ReadProgress(recording, request.progress, events);
    if (!named.ok()) return named.status();
    given = *std::move(named);
  } else if (!changes->count_cycles_of.empty()) {
    const auto otherwise = DefaultProgress(recording);
    if (!otherwise.ok()) return otherwise.status();
    given = CyclesInstead(*otherwise, changes->count_cycles_of, recording);
  }
  ReplayOptions options = OptionsOf(recording, *changes, *one_in);
  if (!changes->changes.more_at_once.empty())
    options.connections = ConnectionsByThread(recording.timeline);
  const auto replayed =
      ReplayStretches(recording, stretches, given ? &*given : nullptr, options, on_replay);
  if (!replayed.ok()) return replayed.status();
  pb::WhatIf answer = AnswerOf(recording, *changes, {.marks = {}, .what = replayed->progress},
                               LeftOf(replayed->result, *one_in));
  answer.add_doubts(StretchesDoubt(recording.timeline, stretches, replayed->answered));
  return answer;
}

}  // namespace

absl::StatusOr<ProgressTimes> TimesOfProgress(const AnalyzedRecording& recording,
                                              const std::string& progress,
                                              std::span<const NodeEvents> events) {
  auto named = ReadProgress(recording, progress, events);
  if (!named.ok()) return named.status();
  ProgressTimes times{.times_ns = {}, .what = std::move(named->what)};
  for (const ProgressMark& mark : named->marks) times.times_ns.push_back(mark.time_ns);
  std::sort(times.times_ns.begin(), times.times_ns.end());
  return times;
}

absl::StatusOr<pb::WhatIf> AskWhatIf(const AnalyzedRecording& recording,
                                     const WhatIfRequest& request,
                                     std::span<const NodeEvents> events,
                                     std::function<bool()> on_replay) {
  const std::vector<ReplayedStretch> stretches = StretchesToAsk(recording);
  if (!stretches.empty()) {
    auto answer = AskStretches(recording, request, events, stretches, on_replay);
    if (!absl::IsFailedPrecondition(answer.status())) return answer;
  }
  PreparedReplays prepared;
  prepared.on_replay = std::move(on_replay);
  auto answer =
      Ask(recording, request, ReadProgress(recording, request.progress, events), &prepared);
  if (prepared.given_up_with) return absl::CancelledError("no answer is wanted any more");
  return answer;
}

struct WhatIfAsker::Shared {
  absl::StatusOr<NamedProgress> progress;
  PreparedReplays prepared;
};

WhatIfAsker::WhatIfAsker(const AnalyzedRecording& recording, std::function<bool()> on_replay)
    : recording_(recording),
      shared_(std::make_unique<Shared>(Shared{.progress = DefaultProgress(recording)})) {
  shared_->prepared.on_replay = std::move(on_replay);
}
WhatIfAsker::~WhatIfAsker() = default;

absl::StatusOr<pb::WhatIf> WhatIfAsker::Ask(const WhatIfRequest& request) {
  auto answer = gordian::Ask(recording_, request, shared_->progress, &shared_->prepared);
  if (shared_->prepared.given_up_with) return absl::CancelledError("no more answers are wanted");
  return answer;
}
double WhatIfAsker::ShareOfFalseWakeups(uint32_t vertex) {
  if (!shared_->progress.ok()) return 0;
  if (!shared_->prepared.score)
    PrepareReplays(recording_.timeline, recording_.vertex_of_entity,
                   {.marks = shared_->progress->marks,
                    .tick_loops = LoopShares(recording_.stacks, recording_.code),
                    .candidates = ScopeOf(recording_)},
                   shared_->prepared);
  if (!shared_->prepared.score) return 0;
  return TakeOutFalseWakeups(*shared_->prepared.score, vertex, recording_.vertex_of_entity)
      .ShareGone();
}
uint64_t WhatIfAsker::replayed_steps() const { return shared_->prepared.replayed_steps; }

}  // namespace gordian
