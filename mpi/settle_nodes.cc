// SPDX-License-Identifier: Apache-2.0
#include "mpi/settle_nodes.h"

#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "analysis/recording.h"
#include "analysis/recording_key.h"
#include "analyzer/kept/kept_senders.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/carried_files.h"
#include "mpi/rank_plan.h"
#include "store/entry_format.h"
#include "trace/recording_fingerprint.h"

namespace gordian {
namespace {

constexpr char kSettledStage[] = "mpi-settled";
constexpr char kSendersStage[] = "mpi-senders";
constexpr char kFactsSection[] = "facts";

absl::StatusOr<std::string> FingerprintOf(const std::string& directory, bool& is_open) {
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  is_open = true;
  return RecordingFingerprint(**session);
}

absl::StatusOr<Timeline> Read(const std::string& directory, int threads,
                              const MemoryOptions& memory) {
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  return Timeline::Load(
      **session, {.threads = threads, .keep_packet_wakes = true, .memory = ColumnsWithin(memory)},
      {});
}

void TellFailure(const absl::Status& status, pb::RankMade& part) {
  part.set_code(static_cast<int>(status.code()));
  part.set_failure(std::string(status.message()));
}

}  // namespace

absl::Status CheckUnchanged(const std::string& directory, const std::string& fingerprint) {
  bool is_open = false;
  if (FingerprintOf(directory, is_open).value_or("") == fingerprint) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat(directory, " changed while it was read; start again when it is whole"));
}

// Of a unit's results. They are begun with the first node.
struct SettleNodes::Writers {
  std::optional<StoreWriter> timelines;
  std::optional<StoreWriter> senders;
};

std::vector<std::string> SettleNodes::FindSessions(const pb::SettleUnit& unit, pb::RankMade& made) {
  std::vector<std::string> fingerprints;
  std::string told;
  for (const pb::SessionToSettle& session : unit.sessions()) {
    pb::RankMade& part = *made.add_parts();
    bool is_open = false;
    const auto fingerprint = FingerprintOf(session.directory(), is_open);
    part.set_is_open(is_open);
    if (!fingerprint.ok()) TellFailure(fingerprint.status(), part);
    fingerprints.push_back(fingerprint.value_or(""));
    AddText(session.node(), told);
    AddText(fingerprints.back(), told);
  }
  pb::RankKey key;
  key.set_recording(absl::StrCat(ContentHash(std::as_bytes(std::span(told.data(), told.size())))));
  key.set_stage(kSettledStage);
  key.set_options("of many");
  pb::RankKey senders = key;
  senders.set_stage(kSendersStage);
  senders.set_options(unit.carry_files() ? "with files and words" : "");
  for (int i = 0; i < made.parts_size(); ++i) {
    *made.mutable_parts(i)->mutable_result() = MemberOf(key, static_cast<uint32_t>(i));
    *made.mutable_parts(i)->mutable_senders() = MemberOf(senders, static_cast<uint32_t>(i));
  }
  return fingerprints;
}

bool SettleNodes::TakeKept(pb::RankMade& made) const {
  ResultsInARow timelines(folder_);
  ResultsInARow senders(folder_);
  for (pb::RankMade& part : *made.mutable_parts()) {
    if (part.code() != 0) continue;
    auto known = senders.Find(part.senders());
    if (!known.ok() || !timelines.Find(part.result()).ok() ||
        !known->Message(kFactsSection, *part.mutable_node()).ok())
      return false;
  }
  return true;
}

absl::Status SettleNodes::KeepNode(const Timeline& timeline, const pb::SettleUnit& unit, int place,
                                   Writers& writers, const pb::RankMade& part) const {
  const std::string& directory = unit.sessions(place).directory();
  if (!writers.timelines) {
    auto kept = folder_.Begin(FileOf(part.senders()), directory);
    if (!kept.ok()) return kept.status();
    // The others are about as large.
    const auto nodes = static_cast<uint64_t>(unit.sessions_size());
    auto writer =
        folder_.Begin(FileOf(part.result()), directory, nodes * KeptTimelineBytes(timeline));
    if (!writer.ok()) return writer.status();
    writers.senders = *std::move(kept);
    writers.timelines = *std::move(writer);
  }
  writers.senders->BeginMember(part.senders().member());
  KeepSenders(timeline, *writers.senders);
  writers.senders->AddMessage(kFactsSection, part.node());
  if (unit.carry_files()) {
    if (absl::Status status = KeepFiles(directory, *writers.senders); !status.ok()) return status;
  }
  writers.timelines->BeginMember(part.result().member());
  KeepUnjoinedTimeline(timeline, *writers.timelines);
  return absl::OkStatus();
}

absl::Status SettleNodes::Make(const pb::SettleUnit& unit, pb::RankMade& made) const {
  const std::vector<std::string> fingerprints = FindSessions(unit, made);
  if (TakeKept(made)) return absl::OkStatus();
  Writers writers;
  for (int i = 0; i < made.parts_size(); ++i) {
    pb::RankMade& part = *made.mutable_parts(i);
    if (part.code() != 0) continue;
    const pb::SessionToSettle& asked = unit.sessions(i);
    const auto timeline = Read(asked.directory(), threads_, memory_);
    if (!timeline.ok()) {
      TellFailure(timeline.status(), part);
      continue;
    }
    *part.mutable_node() = RankNodeOf(FactsOf(asked.node(), *timeline));
    absl::Status status = KeepNode(*timeline, unit, i, writers, part);
    if (status.ok())
      status = CheckUnchanged(asked.directory(), fingerprints[static_cast<size_t>(i)]);
    if (!status.ok()) return status;
  }
  if (!writers.timelines) return absl::OkStatus();
  made.set_is_made(true);
  if (absl::Status status = writers.senders->Commit(); !status.ok()) return status;
  return writers.timelines->Commit();
}

}  // namespace gordian
