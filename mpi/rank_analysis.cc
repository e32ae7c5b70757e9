// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_analysis.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/kept_nodes.h"
#include "analysis/recording.h"
#include "analysis/recording_key.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/carried_files.h"
#include "mpi/join_units.h"
#include "mpi/kept_sweep.h"
#include "mpi/rank_joining.h"
#include "mpi/rank_sessions.h"
#include "mpi/unit_results.h"
#include "store/entry_format.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kJoinedStage[] = "mpi-joined";
constexpr char kSweptStage[] = "mpi-swept";
// Stretches of a sweep. More would open the timeline's ends more often, fewer would leave ranks
// without work at the end. The number of ranks has no part in it: another one finds the same units.
constexpr size_t kStretches = 64;

class RankAnalysis {
 public:
  RankAnalysis(Ranks& ranks, const WorkFolder& folder, const RankRequest& request)
      : ranks_(ranks),
        folder_(folder),
        request_(request),
        own_(ranks, folder, request.analysis.threads, request.unit_memory),
        crew_(ranks, own_, request.crew),
        results_(ranks, folder, crew_) {}

  absl::Status Run(const std::function<absl::Status(const RankWork& work)>& ask) {
    absl::Status status = crew_.Gather(HelloOf(request_.program, request_.directory, folder_));
    if (status.ok()) status = Ask(ask);
    EndOthers(ranks_);
    return status;
  }

 private:
  absl::Status Ask(const std::function<absl::Status(const RankWork& work)>& ask) {
    auto sessions = SessionsOf(crew_.hellos());
    if (!sessions.ok()) return sessions.status();
    if (const std::string mixed = MixedVersionsOf(*sessions); !mixed.empty() && request_.note)
      request_.note(mixed);
    for (const SeenSession& session : *sessions) {
      if (session.is_carried && request_.needs_events)
        return absl::FailedPreconditionError(absl::StrCat(
            "rank 0 does not see the recording of ", CleanText(session.node),
            ", which this output needs; ask for text and --json only, or collect it first"));
    }
    return ask(WorkOn(*sessions));
  }

  RankWork WorkOn(const std::vector<SeenSession>& sessions) {
    return {.sessions = sessions,
            .ask = [this](const std::vector<DealtUnit>& units) { return crew_.Make(units); },
            .make = [this](const std::vector<DealtUnit>& units,
                           const auto& use) { return MakeAll(units, use); },
            .settle = [this, sessions] { return Settle(sessions); },
            .sweep = [this](const Waits& waits,
                            const WindowSumOptions& sweep) { return Sweep(waits, sweep); },
            .timeline_unit = [this] { return TimelineUnit(); },
            .use_waits = [this](const Waits* waits) { own_.Use(waits); },
            .folder = &folder_};
  }

  absl::Status MakeAll(const std::vector<DealtUnit>& units,
                       const std::function<absl::Status(StoredEntry entry)>& use) {
    const auto made = crew_.Make(units);
    if (!made.ok()) return made.status();
    for (size_t i = 0; i < units.size(); ++i) {
      if (absl::Status status = results_.UseResult(units[i], (*made)[i], use); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  // All nodes' timelines as one.
  absl::StatusOr<LoadedRecording> Settle(const std::vector<SeenSession>& sessions) {
    std::vector<DealtUnit> units;
    for (const SeenSession& session : sessions) {
      DealtUnit& dealt = units.emplace_back();
      dealt.ranks = session.ranks;
      dealt.cost = session.bytes;
      dealt.unit.set_name(absl::StrCat("settle ", session.node));
      pb::SettleUnit& settle = *dealt.unit.mutable_settle();
      settle.set_node(session.node);
      settle.set_directory(session.directory);
      settle.set_alone(session.node.empty());
      settle.set_carry_files(session.is_carried);
    }
    const auto made = crew_.Make(units);
    if (!made.ok()) return made.status();
    if (sessions.front().node.empty()) {
      if (absl::Status status = StatusOf(made->front().made); !status.ok()) return status;
      LoadedRecording recording = EmptyRecording();
      recording.directories = {sessions.front().directory};
      timeline_key_ = made->front().made.result();
      const absl::Status status =
          results_.UseResult(units.front(), made->front(),
                             [&](StoredEntry entry) { return Open(std::move(entry), recording); });
      if (!status.ok()) return status;
      return recording;
    }
    auto recording = OfMany(sessions, units, *made);
    for (int tries = 0; tries < kMostJoiningTries; ++tries) {
      if (recording.ok() || !IsWorthAnotherTry(recording.status()) || !was_settled_) break;
      // Something that joining needs was damaged, and is gone: it is made again.
      const auto again = crew_.Make(units);
      if (!again.ok()) return again.status();
      recording = OfMany(sessions, units, *again);
    }
    return recording;
  }

  LoadedRecording EmptyRecording() const {
    LoadedRecording recording;
    recording.directory = request_.directory;
    recording.is_from_store = true;
    return recording;
  }

  absl::Status Open(StoredEntry entry, LoadedRecording& recording) {
    if (HasKeptNodes(entry)) {
      if (absl::Status status = ReadKeptNodes(entry, recording); !status.ok()) return status;
    }
    if (IsJoined(entry)) {
      const auto kept = KeptJoinedOf(entry);
      if (!kept.ok()) return kept.status();
      auto joined = ComposedOf(kept->plan, ranks_, folder_, request_.unit_memory,
                               /*holders=*/{}, kept->questions);
      if (!joined.ok()) return joined.status();
      recording.timeline = std::make_unique<Timeline>(std::move(joined->timeline));
      return absl::OkStatus();
    }
    auto timeline = KeptTimelineOf(std::move(entry), ColumnsWithin(request_.unit_memory));
    if (!timeline.ok()) return timeline.status();
    recording.timeline = std::make_unique<Timeline>(*std::move(timeline));
    return absl::OkStatus();
  }

  absl::StatusOr<LoadedRecording> OfMany(const std::vector<SeenSession>& sessions,
                                         const std::vector<DealtUnit>& dealt,
                                         const std::vector<MadeUnit>& units) {
    // As nodes/load_nodes.cc tells them: sessions that cannot be opened, then those without events.
    std::vector<std::string> left_out;
    absl::Status first_failure;
    for (const bool is_open : {false, true}) {
      for (size_t i = 0; i < units.size(); ++i) {
        const absl::Status status = StatusOf(units[i].made);
        if (status.ok() || units[i].made.is_open() != is_open) continue;
        if (absl::IsAborted(status) || absl::IsResourceExhausted(status)) return status;
        first_failure.Update(status);
        left_out.push_back(absl::StrCat(sessions[i].node, ": ", status.message()));
      }
    }
    std::string told;
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i].made.code() != 0) continue;
      AddText(sessions[i].node, told);
      AddText(units[i].made.result().recording(), told);
    }
    was_settled_ = !told.empty();
    if (!was_settled_) return first_failure;
    for (const std::string& line : left_out) AddText(line, told);
    timeline_key_.Clear();
    timeline_key_.set_recording(
        absl::StrCat(ContentHash(std::as_bytes(std::span(told.data(), told.size())))));
    timeline_key_.set_stage(kJoinedStage);
    timeline_key_.set_options(told);
    std::vector<std::string> directories;
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i].made.code() != 0) continue;
      auto directory = DirectoryOf(sessions[i], dealt[i], units[i]);
      if (!directory.ok()) return directory.status();
      directories.push_back(*std::move(directory));
      // The joined timeline is kept with them.
      AddText(directories.back(), told);
    }
    timeline_key_.set_options(told);
    if (auto entry = folder_.Find(timeline_key_); entry.ok() && SharesFolders()) {
      LoadedRecording kept = EmptyRecording();
      if (Open(*std::move(entry), kept).ok()) {
        TellOfJoin("found");
        return kept;
      }
    }
    return Join(sessions, units, std::move(directories), std::move(left_out));
  }

  // Else parts of a joined timeline may lie anywhere: their units are asked for, and are found.
  bool SharesFolders() const {
    return std::all_of(
        crew_.hellos().begin(), crew_.hellos().end(),
        [&](const pb::RankHello& hello) { return hello.folder() == folder_.identity(); });
  }

  // Of a session, as rank 0 sees it.
  absl::StatusOr<std::string> DirectoryOf(const SeenSession& session, const DealtUnit& dealt,
                                          const MadeUnit& unit) {
    if (!session.is_carried) return session.directory;
    const std::string directory =
        absl::StrCat(folder_.path(), "/sessions/", unit.made.result().recording());
    if (AreFilesWritten(directory)) return directory;
    const absl::Status status = results_.UseResult(
        dealt, unit, [](const pb::RankMade& made) { return made.senders(); },
        [&](StoredEntry entry) { return WriteFiles(entry, directory); });
    if (!status.ok()) return status;
    return directory;
  }

  absl::StatusOr<LoadedRecording> Join(const std::vector<SeenSession>& sessions,
                                       const std::vector<MadeUnit>& units,
                                       std::vector<std::string> directories,
                                       std::vector<std::string> left_out) {
    std::vector<SettledNode> nodes;
    for (size_t i = 0; i < units.size(); ++i)
      if (units[i].made.code() == 0)
        nodes.push_back({sessions[i].node, units[i], sessions[i].bytes});
    RankJoining joining(results_, nodes);
    if (absl::Status status = joining.Run(); !status.ok()) return status;
    TellOfJoin("begins");
    holders_ = joining.holders();
    auto joined =
        ComposedOf(joining.plan(), ranks_, folder_, request_.unit_memory, holders_, std::nullopt);
    if (!joined.ok()) return joined.status();
    joining.Tell(*joined);
    const std::span<const QuestionCount> questions = joined->timeline.questions();
    LoadedRecording recording = RecordingOf(*std::move(joined));
    recording.is_from_store = true;
    recording.directory = request_.directory;
    recording.directories = std::move(directories);
    recording.left_out = std::move(left_out);
    auto writer = folder_.Begin(timeline_key_, request_.directory);
    if (!writer.ok()) return writer.status();
    if (absl::Status status = KeepJoined(joining.plan(), questions, *writer); !status.ok())
      return status;
    KeepNodes(recording, *writer);
    if (absl::Status status = writer->Commit(); !status.ok()) return status;
    TellOfJoin("made");
    return recording;
  }

  void TellOfJoin(const std::string& how) const {
    if (request_.crew.tell) request_.crew.tell(absl::StrCat("rank 0 ", how, " join"));
  }

  // Borders of stretches of about equally many events, those of `sweep` among them.
  static std::vector<uint64_t> StretchBorders(const Waits& waits, const WindowSumOptions& sweep) {
    const std::vector<uint64_t> swept = SweepBorders(waits, sweep.from_ns, sweep.to_ns);
    const size_t step = 1 + swept.size() / kStretches;
    std::vector<uint64_t> borders = {sweep.from_ns, sweep.to_ns};
    for (const uint64_t border_ns : sweep.kept_borders_ns)
      if (border_ns > sweep.from_ns && border_ns < sweep.to_ns) borders.push_back(border_ns);
    for (size_t i = 0; i < swept.size(); i += step) borders.push_back(swept[i]);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
  }

  absl::StatusOr<WindowSums> Sweep(const Waits& waits, WindowSumOptions sweep) {
    sweep.from_ns = std::max(sweep.from_ns, waits.timeline().start_ns());
    sweep.to_ns = std::clamp(sweep.to_ns, sweep.from_ns, waits.timeline().end_ns());
    const std::vector<uint64_t> borders = StretchBorders(waits, sweep);
    std::vector<uint64_t> kept = borders;
    kept.insert(kept.end(), sweep.kept_borders_ns.begin(), sweep.kept_borders_ns.end());
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    sweep.kept_borders_ns = std::move(kept);
    own_.Use(&waits);
    auto parts = SweepParts(sweep, borders);
    own_.Use(nullptr);
    if (!parts.ok()) return parts.status();
    return WindowSums(waits, sweep, *std::move(parts));
  }

  absl::StatusOr<std::vector<SweptWindows>> SweepParts(const WindowSumOptions& sweep,
                                                       const std::vector<uint64_t>& borders) {
    std::vector<DealtUnit> units;
    for (size_t i = 0; i + 1 < borders.size(); ++i) units.push_back(SweepUnitOf(sweep, i, borders));
    std::vector<SweptWindows> parts;
    const absl::Status status = MakeAll(units, [&](StoredEntry entry) {
      auto part = KeptSweepOf(entry);
      if (part.ok()) parts.push_back(*std::move(part));
      return part.status();
    });
    if (!status.ok()) return status;
    return parts;
  }

  // Of a unit about the settled timeline.
  pb::SweepUnit TimelineUnit() const {
    pb::SweepUnit unit;
    *unit.mutable_timeline() = timeline_key_;
    unit.set_holder_folder(folder_.identity());
    unit.mutable_holders()->Add(holders_.begin(), holders_.end());
    unit.set_merge_short_lived(!request_.analysis.graph.no_merge);
    return unit;
  }

  DealtUnit SweepUnitOf(const WindowSumOptions& sweep, size_t number,
                        const std::vector<uint64_t>& borders) const {
    DealtUnit dealt;
    dealt.unit.set_name(absl::StrCat("sweep ", number + 1, " of ", borders.size() - 1));
    pb::SweepUnit& unit = *dealt.unit.mutable_sweep();
    unit = TimelineUnit();
    unit.set_from_ns(borders[number]);
    unit.set_to_ns(borders[number + 1]);
    unit.set_whole_from_ns(sweep.from_ns);
    unit.set_whole_to_ns(sweep.to_ns);
    for (const uint64_t border_ns : sweep.kept_borders_ns) unit.add_kept_borders_ns(border_ns);
    unit.set_bytes_per_event(sweep.bytes_per_event);
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(timeline_key_.recording());
    result.set_stage(kSweptStage);
    // All that makes the unit, but for where its timeline lies.
    pb::SweepUnit asked = unit;
    asked.clear_holder_folder();
    asked.clear_holders();
    const std::string text = asked.SerializeAsString();
    result.set_options(
        absl::StrCat(timeline_key_.stage(), ";", borders[number], ";", borders[number + 1], ";",
                     ContentHash(std::as_bytes(std::span(text.data(), text.size())))));
    return dealt;
  }

  Ranks& ranks_;
  const WorkFolder& folder_;
  const RankRequest& request_;
  UnitMaker own_;
  Crew crew_;
  UnitResults results_;
  pb::RankKey timeline_key_;
  std::vector<uint32_t> holders_;  // of the joined timeline's parts; empty: all share a folder
  bool was_settled_ = false;       // any node
};

}  // namespace

absl::Status AskOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                        const RankRequest& request,
                        const std::function<absl::Status(const RankWork& work)>& ask) {
  if (!folder.ok()) {
    EndOthers(ranks);
    return folder.status();
  }
  ranks.AnswerFetches([&folder](const std::string& fetch) { return folder->Answer(fetch); });
  return RankAnalysis(ranks, *folder, request).Run(ask);
}

absl::StatusOr<Analysis> AnalysisOf(const RankWork& work, LoadedRecording recording,
                                    AnalysisOptions options) {
  options.sweep_elsewhere = work.sweep;
  return Analysis::Run(std::move(recording), options);
}

absl::Status AnalyzeOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                            const RankRequest& request,
                            const std::function<absl::Status(const Analysis& analysis)>& use) {
  return AskOnRanks(ranks, folder, request, [&](const RankWork& work) {
    auto recording = work.settle();
    if (!recording.ok()) return recording.status();
    const auto analysis = AnalysisOf(work, *std::move(recording), request.analysis);
    return analysis.ok() ? use(*analysis) : analysis.status();
  });
}

absl::Status ServeRankZero(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                           const RankRequest& request) {
  const pb::RankHello hello = HelloOf(request.program, request.directory, folder);
  if (!folder.ok()) return WorkForRankZero(ranks, nullptr, hello);
  ranks.AnswerFetches([&folder](const std::string& fetch) { return folder->Answer(fetch); });
  UnitMaker own(ranks, *folder, request.analysis.threads, request.unit_memory);
  return WorkForRankZero(ranks, &own, hello);
}

}  // namespace gordian
