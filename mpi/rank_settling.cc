// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_settling.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/kept_nodes.h"
#include "analysis/recording_key.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/carried_files.h"
#include "mpi/join_units.h"
#include "mpi/rank_joining.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kJoinedStage[] = "mpi-joined";
constexpr char kNodesStage[] = "mpi-nodes";
constexpr char kQuestionsStage[] = "mpi-questions";

// Each unit about the joined timeline carries its key: with what is told of a thousand nodes in it,
// the units of a thousand nodes would take a hundred megabytes.
std::string ShortFor(const std::string& told) { return EntryFileName({.recording = told}); }

}  // namespace

std::vector<RankSettling::SettlingUnit> RankSettling::UnitsOf(
    const std::vector<SeenSession>& sessions) const {
  std::vector<SettlingUnit> units;
  for (size_t i = 0; i < sessions.size(); ++i) {
    const SeenSession& session = sessions[i];
    const bool goes_on = !units.empty() && units.back().dealt.ranks == session.ranks &&
                         units.back().dealt.unit.settle().carry_files() == session.is_carried &&
                         units.back().dealt.cost + session.bytes <= request_.unit_recording_bytes;
    SettlingUnit& unit = goes_on ? units.back() : units.emplace_back();
    if (!goes_on) {
      unit.first_session = i;
      unit.dealt.ranks = session.ranks;
    }
    unit.end_session = i + 1;
    unit.dealt.cost += session.bytes;
    pb::SettleUnit& settle = *unit.dealt.unit.mutable_settle();
    settle.set_alone(session.node.empty());
    settle.set_carry_files(session.is_carried);
    pb::SessionToSettle& asked = *settle.add_sessions();
    asked.set_node(session.node);
    asked.set_directory(session.directory);
    unit.dealt.unit.set_name(absl::StrCat("settle ", sessions[unit.first_session].node));
    if (goes_on) absl::StrAppend(unit.dealt.unit.mutable_name(), " to ", session.node);
  }
  return units;
}

absl::StatusOr<std::vector<MadeUnit>> RankSettling::MakeAll(
    const std::vector<SettlingUnit>& units) {
  std::vector<DealtUnit> dealt;
  dealt.reserve(units.size());
  for (const SettlingUnit& unit : units) dealt.push_back(unit.dealt);
  const auto made = crew().Make(dealt);
  if (!made.ok()) return made.status();
  std::vector<MadeUnit> settled;
  for (size_t i = 0; i < units.size(); ++i) {
    const MadeUnit& unit = (*made)[i];
    for (size_t session = units[i].first_session; session < units[i].end_session; ++session) {
      const auto place = static_cast<int>(session - units[i].first_session);
      MadeUnit& one = settled.emplace_back(unit);
      if (unit.made.code() != 0 || dealt[i].unit.settle().alone()) continue;
      if (unit.made.parts_size() <= place) return absl::DataLossError("a unit of other nodes");
      one.made = unit.made.parts(place);
    }
  }
  return settled;
}

absl::StatusOr<LoadedRecording> RankSettling::Settle(const std::vector<SeenSession>& sessions) {
  const std::vector<SettlingUnit> units = UnitsOf(sessions);
  const auto made = MakeAll(units);
  if (!made.ok()) return made.status();
  if (sessions.front().node.empty()) {
    if (absl::Status status = StatusOf(made->front().made); !status.ok()) return status;
    LoadedRecording recording = EmptyRecording();
    recording.directories = {sessions.front().directory};
    timeline_key_ = made->front().made.result();
    const absl::Status status =
        results_.UseResult(units.front().dealt, made->front(),
                           [&](StoredEntry entry) { return Open(std::move(entry), recording); });
    if (!status.ok()) return status;
    return recording;
  }
  auto recording = OfMany(sessions, units, *made);
  for (int tries = 0; tries < kMostJoiningTries; ++tries) {
    if (recording.ok() || !IsWorthAnotherTry(recording.status()) || !was_settled_) break;
    // Something that joining needs was damaged, and is gone: it is made again.
    const auto again = MakeAll(units);
    if (!again.ok()) return again.status();
    recording = OfMany(sessions, units, *again);
  }
  return recording;
}

LoadedRecording RankSettling::EmptyRecording() const {
  LoadedRecording recording;
  recording.directory = request_.directory;
  recording.is_from_store = true;
  return recording;
}

absl::Status RankSettling::Open(StoredEntry entry, LoadedRecording& recording) const {
  auto timeline = KeptTimelineOf(std::move(entry), ColumnsWithin(request_.unit_memory));
  if (!timeline.ok()) return timeline.status();
  recording.timeline = std::make_unique<Timeline>(*std::move(timeline));
  return absl::OkStatus();
}

absl::Status RankSettling::OpenJoined(LoadedRecording& recording) {
  auto entry = folder().Find(timeline_key_);
  if (!entry.ok()) return entry.status();
  const auto plan = KeptPlanOf(*entry);
  if (!plan.ok()) return plan.status();
  auto nodes = folder().Find(NodesKey());
  if (!nodes.ok()) return nodes.status();
  const auto questions = KeptQuestionsOf(*nodes);
  if (!questions.ok()) return questions.status();
  if (absl::Status status = ReadKeptNodes(*nodes, recording); !status.ok()) return status;
  auto joined = ComposedOf(*plan, results_.ranks(), folder(), request_.unit_memory, /*holders=*/{},
                           RowsOfJoined(), *questions);
  if (!joined.ok()) return joined.status();
  recording.timeline = std::make_unique<Timeline>(std::move(joined->timeline));
  return absl::OkStatus();
}

absl::StatusOr<LoadedRecording> RankSettling::OfMany(const std::vector<SeenSession>& sessions,
                                                     const std::vector<SettlingUnit>& units,
                                                     const std::vector<MadeUnit>& settled) {
  // As nodes/load_nodes.cc tells them: sessions that cannot be opened, then those without events.
  std::vector<std::string> left_out;
  absl::Status first_failure;
  for (const bool is_open : {false, true}) {
    for (size_t i = 0; i < settled.size(); ++i) {
      const absl::Status status = StatusOf(settled[i].made);
      if (status.ok() || settled[i].made.is_open() != is_open) continue;
      if (absl::IsAborted(status) || absl::IsResourceExhausted(status)) return status;
      first_failure.Update(status);
      left_out.push_back(absl::StrCat(sessions[i].node, ": ", status.message()));
    }
  }
  std::string told;
  for (size_t i = 0; i < settled.size(); ++i) {
    if (settled[i].made.code() != 0) continue;
    AddText(sessions[i].node, told);
    AddText(settled[i].made.result().recording(), told);
    AddText(settled[i].made.result().member(), told);
  }
  was_settled_ = !told.empty();
  if (!was_settled_) return first_failure;
  for (const std::string& line : left_out) AddText(line, told);
  timeline_key_.Clear();
  timeline_key_.set_recording(
      absl::StrCat(ContentHash(std::as_bytes(std::span(told.data(), told.size())))));
  timeline_key_.set_stage(kJoinedStage);
  std::vector<SettledNode> nodes;
  std::vector<std::string> directories;
  for (size_t number = 0; number < units.size(); ++number) {
    for (size_t i = units[number].first_session; i < units[number].end_session; ++i) {
      if (settled[i].made.code() != 0) continue;
      auto directory = DirectoryOf(sessions[i], units[number], i, settled[i]);
      if (!directory.ok()) return directory.status();
      directories.push_back(*std::move(directory));
      // The joined timeline is kept with them.
      AddText(directories.back(), told);
      nodes.push_back({sessions[i].node, settled[i], sessions[i].bytes, number});
    }
  }
  timeline_key_.set_options(ShortFor(told));
  if (SharesFolders()) {
    LoadedRecording kept = EmptyRecording();
    if (OpenJoined(kept).ok()) {
      TellOfJoin("found");
      return kept;
    }
  }
  return Join(nodes, std::move(directories), std::move(left_out));
}

bool RankSettling::SharesFolders() {
  return std::all_of(
      crew().hellos().begin(), crew().hellos().end(),
      [&](const pb::RankHello& hello) { return hello.folder() == folder().identity(); });
}

absl::StatusOr<std::string> RankSettling::DirectoryOf(const SeenSession& session,
                                                      const SettlingUnit& unit, size_t number,
                                                      const MadeUnit& settled) {
  if (!session.is_carried) return session.directory;
  const pb::RankKey& kept = settled.made.senders();
  const std::string directory =
      absl::StrCat(folder().path(), "/sessions/", kept.recording(), "-", kept.member());
  if (AreFilesWritten(directory)) return directory;
  // Made again, it tells of all of its sessions.
  const auto place = static_cast<int>(number - unit.first_session);
  const auto senders_of = [&](const pb::RankMade& made) {
    return place < made.parts_size() ? made.parts(place).senders() : made.senders();
  };
  const absl::Status status =
      results_.UseResult(unit.dealt, settled, senders_of,
                         [&](StoredEntry entry) { return WriteFiles(entry, directory); });
  if (!status.ok()) return status;
  return directory;
}

absl::StatusOr<LoadedRecording> RankSettling::Join(const std::vector<SettledNode>& nodes,
                                                   std::vector<std::string> directories,
                                                   std::vector<std::string> left_out) {
  RankJoining joining(results_, nodes, request_.analysis.threads);
  if (absl::Status status = joining.Run(); !status.ok()) return status;
  TellOfJoin("begins");
  holders_ = joining.holders();
  auto writer = folder().Begin(timeline_key_, request_.directory);
  if (!writer.ok()) return writer.status();
  KeepJoined(joining.plan(), *writer);
  if (absl::Status status = writer->Commit(); !status.ok()) return status;
  auto joined = ComposedBesideOthers(joining.plan());
  if (!joined.ok()) return joined.status();
  joining.Tell(*joined);
  auto kept = folder().Begin(NodesKey(), request_.directory);
  if (!kept.ok()) return kept.status();
  KeepQuestions(joined->timeline.questions(), *kept);
  LoadedRecording recording = RecordingOf(*std::move(joined));
  recording.is_from_store = true;
  recording.directory = request_.directory;
  recording.directories = std::move(directories);
  recording.left_out = std::move(left_out);
  KeepNodes(recording, *kept);
  if (absl::Status status = kept->Commit(); !status.ok()) return status;
  TellOfJoin("made");
  return recording;
}

absl::StatusOr<JoinedNodes> RankSettling::ComposedBesideOthers(const RankPlan& plan) {
  std::vector<DealtUnit> units;
  // The first of the others finds who asks whom. Without others this rank does.
  std::optional<std::vector<QuestionCount>> questions;
  if (results_.ranks().size() > 1) questions.emplace();
  for (int rank = 1; rank < results_.ranks().size(); ++rank) {
    DealtUnit& dealt = units.emplace_back();
    dealt.ranks = {rank};
    dealt.unit.set_name(absl::StrCat("opening by rank ", rank));
    *dealt.unit.mutable_sweep() = TimelineUnit();
    if (rank == 1) *dealt.unit.mutable_sweep()->mutable_questions() = QuestionsKey();
  }
  absl::StatusOr<JoinedNodes> joined = absl::UnknownError("nothing was put together");
  std::jthread composing([&] {
    joined = ComposedOf(plan, results_.ranks(), folder(), request_.unit_memory, holders_,
                        RowsOfJoined(), questions);
  });
  const auto opened = crew().Make(units);
  composing.join();
  if (!opened.ok()) return opened.status();
  if (!joined.ok() || units.empty()) return joined;
  // A rank that could not open it says so when it sweeps, but for the first one.
  absl::Status status = results_.UseResult(
      units.front(), opened->front(), [&](const pb::RankMade&) { return QuestionsKey(); },
      [&](StoredEntry entry) {
        auto kept = KeptQuestionsOf(entry);
        if (!kept.ok()) return kept.status();
        TimelineJoiner::SetQuestions(*std::move(kept), *joined);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return joined;
}

pb::RankKey RankSettling::QuestionsKey() const {
  pb::RankKey key = timeline_key_;
  key.set_stage(kQuestionsStage);
  return key;
}

pb::RankKey RankSettling::NodesKey() const {
  pb::RankKey key = timeline_key_;
  key.set_stage(kNodesStage);
  return key;
}

KeptRows RankSettling::RowsOfJoined() const {
  return request_.needs_flights ? KeptRows::kAll : KeptRows::kWithoutFlights;
}

void RankSettling::TellOfJoin(const std::string& how) const {
  if (request_.crew.tell) request_.crew.tell(absl::StrCat("rank 0 ", how, " join"));
}

pb::SweepUnit RankSettling::TimelineUnit() const {
  pb::SweepUnit unit;
  *unit.mutable_timeline() = timeline_key_;
  unit.set_holder_folder(folder().identity());
  unit.mutable_holders()->Add(holders_.begin(), holders_.end());
  unit.set_merge_short_lived(!request_.analysis.graph.no_merge);
  return unit;
}

}  // namespace gordian
