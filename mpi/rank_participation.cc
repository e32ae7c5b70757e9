// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_participation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "mpi/kept_windows.h"
#include "mpi/rank_analysis.h"
#include "store/entry_format.h"
#include "trace/session_reader.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kWindowsStage[] = "mpi-windows";
// As the stretches of a sweep: fewer would leave ranks without work at the end. The number of ranks
// has no part in it, so another one finds the same units.
constexpr size_t kMostUnits = 64;

class RankWindows {
 public:
  RankWindows(const RankWork& work, const Waits& waits) : work_(work), waits_(waits) {}

  absl::StatusOr<std::vector<WindowParticipation>> Sweep(
      const RecordedGraph& graph, std::span<const ParticipationWindowTimes> windows) {
    const pb::SweepUnit timeline = work_.timeline_unit();
    const auto key = KeepGraph(graph, timeline.timeline(), *work_.folder);
    if (!key.ok()) return key.status();
    std::vector<DealtUnit> units;
    const size_t in_each = (windows.size() + kMostUnits - 1) / kMostUnits;
    for (size_t first = 0; first < windows.size(); first += in_each)
      units.push_back(UnitOf(timeline, *key, first,
                             windows.subspan(first, std::min(in_each, windows.size() - first))));
    std::vector<WindowParticipation> all;
    work_.use_waits(&waits_);
    const absl::Status status = work_.make(units, [&](StoredEntry entry) {
      auto some = KeptWindowsOf(entry, graph.timeline, graph.activity_of_phase.size());
      if (!some.ok()) return some.status();
      std::move(some->begin(), some->end(), std::back_inserter(all));
      return absl::OkStatus();
    });
    work_.use_waits(nullptr);
    if (!status.ok()) return status;
    if (all.size() != windows.size())
      return absl::DataLossError("ranks told of other windows than they were asked for");
    return all;
  }

 private:
  static DealtUnit UnitOf(const pb::SweepUnit& timeline, const pb::RankKey& graph, size_t first,
                          std::span<const ParticipationWindowTimes> windows) {
    DealtUnit dealt;
    dealt.unit.set_name(absl::StrCat("windows from ", first + 1, " on"));
    pb::WindowsUnit& unit = *dealt.unit.mutable_windows();
    *unit.mutable_timeline() = timeline;
    *unit.mutable_graph() = graph;
    for (const ParticipationWindowTimes& window : windows) {
      unit.add_from_ns(window.from_ns);
      unit.add_to_ns(window.to_ns);
      dealt.cost += window.to_ns - window.from_ns;
    }
    // All that makes the unit, but for where its timeline lies.
    pb::WindowsUnit asked = unit;
    asked.mutable_timeline()->clear_holder_folder();
    const std::string text = asked.SerializeAsString();
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(timeline.timeline().recording());
    result.set_stage(kWindowsStage);
    result.set_options(
        absl::StrCat(ContentHash(std::as_bytes(std::span(text.data(), text.size())))));
    return dealt;
  }

  const RankWork& work_;
  const Waits& waits_;
};

}  // namespace

absl::Status CheckWordsAreHere(const RankWork& work, const LoadedRecording& recording) {
  for (size_t node = 0; node < recording.directories.size(); ++node) {
    const bool is_here =
        std::any_of(work.sessions.begin(), work.sessions.end(), [&](const SeenSession& session) {
          return !session.is_carried && session.directory == recording.directories[node];
        });
    if (is_here) continue;
    // Words of programs are brought here, but those of imported recordings stand among all events.
    const auto session = SessionReader::Open(recording.directories[node]);
    if (session.ok() && (*session)->session().backend() == "import")
      return absl::FailedPreconditionError(
          absl::StrCat("rank 0 does not see the imported recording of ",
                       CleanText((*session)->session().host().hostname()), "; collect it first"));
  }
  return absl::OkStatus();
}

absl::StatusOr<RecordedPhases> PhasesOfWork(const RankWork& work,
                                            const LoadedRecording& recording) {
  if (absl::Status status = CheckWordsAreHere(work, recording); !status.ok()) return status;
  return ReadThreadPhases(recording);
}

absl::StatusOr<RecordingParticipation> ParticipationOnRanks(const RankWork& work,
                                                            const ParticipationRequest& request,
                                                            const AnalysisOptions& options,
                                                            bool with_stacks) {
  auto recording = work.settle();
  if (!recording.ok()) return recording.status();
  // A range without time is told before the work.
  if (absl::Status status = CheckParticipation(request, *recording->timeline); !status.ok())
    return status;
  const auto phases = PhasesOfWork(work, *recording);
  if (!phases.ok()) return phases.status();
  bool is_as_settled = false;  // else an option changed the timeline, and other ranks lack it
  AnalysisOptions observed = options;
  observed.sweep_elsewhere = [&](const Waits& waits, const WindowSumOptions& sweep) {
    is_as_settled = true;
    return work.sweep(waits, sweep);
  };
  const auto analysis = Analysis::Run(*std::move(recording), observed);
  if (!analysis.ok()) return analysis.status();
  ParticipateElsewhere elsewhere;
  if (is_as_settled)
    elsewhere = [&](const RecordedGraph& graph, std::span<const ParticipationWindowTimes> windows) {
      return RankWindows(work, analysis->waits()).Sweep(graph, windows);
    };
  return ParticipationIn(*analysis, *phases, request, with_stacks, elsewhere);
}

}  // namespace gordian
