// SPDX-License-Identifier: Apache-2.0
#include "mpi/traffic_units.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/recorded_traffic.h"
#include "mpi/kept_traffic.h"
#include "store/entry_format.h"
#include "trace/recording_fingerprint.h"

namespace gordian {
namespace {

constexpr char kTrafficStage[] = "mpi-traffic";

// Room for what stands around the answer.
constexpr uint64_t kMostAnswerBytes = kMostMessageBytes - 4096;

template <typename Message>
absl::Status PutAnswer(const Message& answer, const std::string& directory, pb::RankMade& made) {
  if (answer.ByteSizeLong() > kMostAnswerBytes)
    return absl::ResourceExhaustedError(
        absl::StrCat(directory, " describes more than a message between ranks can hold"));
  made.set_answer(answer.SerializeAsString());
  made.set_is_made(true);
  return absl::OkStatus();
}

absl::StatusOr<ClockShift> ShiftOf(const pb::TrafficUnit& unit) {
  if (unit.moments_ns_size() != unit.shifts_ns_size())
    return absl::InvalidArgumentError("a unit of traffic whose clock does not check");
  std::vector<std::pair<uint64_t, int64_t>> measured;
  measured.reserve(static_cast<size_t>(unit.moments_ns_size()));
  for (int i = 0; i < unit.moments_ns_size(); ++i)
    measured.emplace_back(unit.moments_ns(i), unit.shifts_ns(i));
  return ClockShift(std::move(measured));
}

// Labels and times of plain spans are of no use to a pass over events.
absl::StatusOr<SpanPlan> SpansOf(const pb::TrafficUnit& unit) {
  SpanPlan plan{.start_ns = unit.start_ns(), .interval_ns = unit.interval_ns()};
  plan.spans.resize(unit.plain_spans());
  for (const SpanKind kind : {SpanKind::kOutside, SpanKind::kSeveral, SpanKind::kUntimed})
    plan.spans.push_back({.kind = kind});
  const int phases = unit.phase_start_ns_size();
  if (unit.phase_end_ns_size() != phases || unit.phase_span_size() != phases ||
      unit.phase_node_size() != phases || unit.phase_pid_size() != phases ||
      (unit.interval_ns() != 0 && unit.plain_spans() == 0))
    return absl::InvalidArgumentError("a unit of traffic whose spans do not check");
  for (int i = 0; i < phases; ++i) {
    if (unit.phase_span(i) >= unit.plain_spans())
      return absl::InvalidArgumentError("a unit of traffic whose spans do not check");
    plan.instances.push_back({.start_ns = unit.phase_start_ns(i),
                              .end_ns = unit.phase_end_ns(i),
                              .span = unit.phase_span(i),
                              .node = unit.phase_node(i),
                              .pid = unit.phase_pid(i)});
  }
  return plan;
}

}  // namespace

absl::Status TellTrafficFacts(const pb::TrafficFactsUnit& unit, pb::RankMade& made) {
  const auto session = SessionReader::Open(unit.directory());
  if (!session.ok()) return session.status();
  const TrafficFacts facts = TrafficFactsOf(**session);
  pb::TrafficFactsAnswer answer;
  answer.set_session(facts.session.SerializeAsString());
  for (const BlockTimes& block : facts.blocks) {
    answer.add_first_ns(block.first_ns);
    answer.add_last_ns(block.last_ns);
  }
  return PutAnswer(answer, unit.directory(), made);
}

absl::Status TellTrafficPhases(const pb::TrafficPhasesUnit& unit, pb::RankMade& made) {
  TrafficRequest request;
  request.per = unit.per();
  request.job.model = unit.model();
  request.job.inputs.zone = unit.zone();
  const auto phases = TrafficPhasesOf(request, unit.directory(), 0);
  if (!phases.ok()) return phases.status();
  pb::TrafficPhasesAnswer answer;
  for (const TrafficPhase& phase : *phases) {
    answer.add_labels(phase.label);
    answer.add_start_ns(phase.start_ns);
    answer.add_end_ns(phase.end_ns);
    answer.add_pids(phase.pid);
  }
  return PutAnswer(answer, unit.directory(), made);
}

absl::Status MakeTrafficPart(const pb::TrafficUnit& unit, const WorkFolder& folder,
                             pb::RankMade& made) {
  const auto shift = ShiftOf(unit);
  if (!shift.ok()) return shift.status();
  const auto plan = SpansOf(unit);
  if (!plan.ok()) return plan.status();
  const auto session = SessionReader::Open(unit.directory());
  if (!session.ok()) return session.status();
  const auto fingerprint = RecordingFingerprint(**session);
  if (!fingerprint.ok()) return fingerprint.status();
  pb::TrafficUnit asked = unit;
  asked.clear_directory();
  const std::string text = asked.SerializeAsString();
  pb::RankKey& key = *made.mutable_result();
  key.set_recording(*fingerprint);
  key.set_stage(kTrafficStage);
  key.set_options(absl::StrCat(ContentHash(std::as_bytes(std::span(text.data(), text.size())))));
  if (folder.Find(key).ok()) return absl::OkStatus();

  const TrafficPart part = ReadTrafficPart(**session, *shift, *plan, unit.node());
  auto writer = folder.Begin(key, unit.directory());
  if (!writer.ok()) return writer.status();
  KeepTrafficPart(part, *writer);
  const auto again = SessionReader::Open(unit.directory());
  if (!again.ok() || RecordingFingerprint(**again).value_or("") != *fingerprint)
    return absl::AbortedError(
        absl::StrCat(unit.directory(), " changed while it was read; start again when it is whole"));
  made.set_is_made(true);
  return writer->Commit();
}

}  // namespace gordian
