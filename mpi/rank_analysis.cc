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
#include "mpi/kept_sweep.h"
#include "mpi/rank_sessions.h"
#include "store/entry_format.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kJoinedStage[] = "mpi-joined";
constexpr char kSweptStage[] = "mpi-swept";
// Stretches of a sweep. More would open the timeline's ends more often, fewer would leave ranks
// without work at the end. The number of ranks has no part in it: another one finds the same units.
constexpr size_t kStretches = 64;
// A unit whose result was damaged when it was needed is made again so often. More often, the disk
// is at fault.
constexpr int kMostTries = 3;

absl::Status StatusOf(const pb::RankMade& made) {
  return {static_cast<absl::StatusCode>(made.code()), made.failure()};
}

// A damaged result is gone once somebody looked at it; so it is made again.
bool IsWorthAnotherTry(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsNotFound(status);
}

class RankAnalysis {
 public:
  RankAnalysis(Ranks& ranks, const WorkFolder& folder, const RankRequest& request)
      : ranks_(ranks),
        folder_(folder),
        request_(request),
        own_(ranks, folder, request.analysis.threads, request.analysis.memory),
        crew_(ranks, own_, request.crew) {}

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
      if (absl::Status status = UseResult(units[i], (*made)[i], use); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Calls use(entry) with the result of a unit that is done. Damage shows only then: the unit is
  // made again.
  template <typename Use>
  absl::Status UseResult(const DealtUnit& unit, MadeUnit done, Use use) {
    absl::Status status = StatusOf(done.made);
    for (int tries = 0; status.ok(); ++tries) {
      status = Bring(done, done.made.result());
      if (status.ok()) {
        auto entry = folder_.Find(done.made.result());
        status = entry.ok() ? use(*std::move(entry)) : entry.status();
      }
      if (!IsWorthAnotherTry(status) || tries == kMostTries) break;
      const auto again = crew_.Make({unit});
      if (!again.ok()) return again.status();
      done = again->front();
      status = StatusOf(done.made);
    }
    return status;
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
      const absl::Status status = UseResult(units.front(), made->front(), [&](StoredEntry entry) {
        return Open(std::move(entry), recording);
      });
      if (!status.ok()) return status;
      return recording;
    }
    return OfMany(sessions, units, *made);
  }

  LoadedRecording EmptyRecording() const {
    LoadedRecording recording;
    recording.directory = request_.directory;
    recording.is_from_store = true;
    return recording;
  }

  absl::Status Open(StoredEntry entry, LoadedRecording& recording) const {
    if (HasKeptNodes(entry)) {
      if (absl::Status status = ReadKeptNodes(entry, recording); !status.ok()) return status;
    }
    auto timeline = KeptTimelineOf(std::move(entry), ColumnsWithin(request_.analysis.memory));
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
    if (told.empty()) return first_failure;
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
    if (auto entry = folder_.Find(timeline_key_); entry.ok()) {
      LoadedRecording kept = EmptyRecording();
      if (Open(*std::move(entry), kept).ok()) {
        TellOfJoin("found");
        return kept;
      }
    }
    return Join(sessions, dealt, units, std::move(directories), std::move(left_out));
  }

  // Of a session, as rank 0 sees it.
  absl::StatusOr<std::string> DirectoryOf(const SeenSession& session, const DealtUnit& dealt,
                                          const MadeUnit& unit) {
    if (!session.is_carried) return session.directory;
    const std::string directory =
        absl::StrCat(folder_.path(), "/sessions/", unit.made.result().recording());
    if (AreFilesWritten(directory)) return directory;
    const absl::Status status =
        UseResult(dealt, unit, [&](StoredEntry entry) { return WriteFiles(entry, directory); });
    if (!status.ok()) return status;
    return directory;
  }

  absl::StatusOr<LoadedRecording> Join(const std::vector<SeenSession>& sessions,
                                       const std::vector<DealtUnit>& dealt,
                                       const std::vector<MadeUnit>& units,
                                       std::vector<std::string> directories,
                                       std::vector<std::string> left_out) {
    TellOfJoin("begins");
    std::vector<NodeTimeline> nodes;
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i].made.code() != 0) continue;
      const absl::Status status = UseResult(dealt[i], units[i], [&](StoredEntry entry) {
        auto timeline =
            KeptUnjoinedTimelineOf(std::move(entry), ColumnsWithin(request_.analysis.memory));
        if (!timeline.ok()) return timeline.status();
        nodes.push_back({.name = sessions[i].node, .timeline = *std::move(timeline)});
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
    }
    LoadedRecording recording =
        RecordingOf(JoinReadNodes(std::move(nodes), request_.analysis.threads));
    recording.directory = request_.directory;
    recording.directories = std::move(directories);
    recording.left_out = std::move(left_out);
    auto writer =
        folder_.Begin(timeline_key_, request_.directory, KeptTimelineBytes(*recording.timeline));
    if (!writer.ok()) return writer.status();
    KeepTimeline(*recording.timeline, *writer);
    KeepNodes(recording, *writer);
    if (absl::Status status = writer->Commit(); !status.ok()) return status;
    TellOfJoin("made");
    return recording;
  }

  void TellOfJoin(const std::string& how) const {
    if (request_.crew.tell) request_.crew.tell(absl::StrCat("rank 0 ", how, " join"));
  }

  // Of a unit's result, to this machine.
  absl::Status Bring(const MadeUnit& unit, const pb::RankKey& key) {
    const std::string& its_folder = crew_.hellos()[static_cast<size_t>(unit.rank)].folder();
    if (its_folder == folder_.identity()) return absl::OkStatus();
    return folder_.Bring(ranks_, unit.rank, key);
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
  pb::RankKey timeline_key_;
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
  UnitMaker own(ranks, *folder, request.analysis.threads, request.analysis.memory);
  return WorkForRankZero(ranks, &own, hello);
}

}  // namespace gordian
