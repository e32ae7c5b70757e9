// SPDX-License-Identifier: Apache-2.0
#include "mpi/unit_maker.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/recording.h"
#include "analyzer/devices/disk_requests.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/kept_sweep.h"
#include "mpi/kept_windows.h"
#include "mpi/rank_joining.h"
#include "mpi/rank_plan.h"
#include "mpi/settle_nodes.h"
#include "mpi/traffic_units.h"
#include "trace/recording_fingerprint.h"

namespace gordian {
namespace {

constexpr char kAloneStage[] = "mpi-alone";

// All that a sweep's disk waits are for is when several of them overlapped. That is known here for
// this stretch of time: two waits for each such time tell it, and all others need not go to rank 0.
std::vector<WaitInterval> WhereDiskWaitsOverlap(const Waits& waits, uint64_t from_ns,
                                                uint64_t to_ns,
                                                std::span<const WaitInterval> begun) {
  std::map<EntityId, std::vector<Stretch>> by_disk;
  const auto add = [&](const WaitInterval& wait) {
    by_disk[wait.waker].push_back({std::max(wait.start_ns, from_ns), std::min(wait.end_ns, to_ns)});
  };
  WindowOfThreads before;
  waits.CollectAll(from_ns, from_ns + 1, before);
  for (const WaitInterval& wait : before.disk_waits)
    if (wait.start_ns < from_ns) add(wait);
  for (const WaitInterval& wait : begun)
    if (wait.start_ns >= from_ns) add(wait);
  std::vector<WaitInterval> overlapping;
  for (const auto& [disk, stretches] : by_disk) {
    for (const Stretch& stretch : Overlapping(stretches, 2))
      overlapping.insert(overlapping.end(), 2, {stretch.from_ns, stretch.to_ns, kNobody, disk});
  }
  return overlapping;
}

}  // namespace

pb::RankMade UnitMaker::Make(const pb::RankUnit& unit) {
  pb::RankMade made;
  made.set_name(unit.name());
  // Most units take tens of megabytes in small pieces, which the allocator keeps. The next unit of
  // the kind takes them from there, which costs no faults of pages. Others need other pieces.
  if (std::exchange(latest_kind_, unit.work_case()) != unit.work_case()) {
    devices_.Forget();
    ::malloc_trim(0);
  }
  absl::Status status = absl::InvalidArgumentError("a unit of no kind");
  if (unit.has_settle()) status = Settle(unit.settle(), made);
  if (unit.has_sweep()) status = Sweep(unit.sweep(), made);
  if (unit.has_match()) status = joining_.Match(unit.match(), made);
  if (unit.has_move()) status = joining_.Move(unit.move(), made);
  if (unit.has_windows()) status = Windows(unit.windows(), made);
  if (unit.has_devices()) status = Devices(unit.devices(), made);
  if (unit.has_traffic_facts()) status = TellTrafficFacts(unit.traffic_facts(), made);
  if (unit.has_traffic_phases()) status = TellTrafficPhases(unit.traffic_phases(), made);
  if (unit.has_traffic()) status = MakeTrafficPart(unit.traffic(), folder_, made);
  made.set_code(static_cast<int>(status.code()));
  made.set_failure(std::string(status.message()));
  return made;
}

absl::Status UnitMaker::Settle(const pb::SettleUnit& unit, pb::RankMade& made) const {
  if (!unit.alone()) return SettleNodes(folder_, threads_, memory_).Make(unit, made);
  if (unit.sessions_size() != 1) return absl::InvalidArgumentError("a unit of no session");
  const std::string& directory = unit.sessions(0).directory();
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  made.set_is_open(true);
  const auto fingerprint = RecordingFingerprint(**session);
  if (!fingerprint.ok()) return fingerprint.status();
  pb::RankKey& key = *made.mutable_result();
  key.set_recording(*fingerprint);
  key.set_stage(kAloneStage);
  key.set_options("alone");
  if (folder_.Find(key).ok()) return absl::OkStatus();
  const auto timeline = ReadTimeline(directory, {.threads = threads_, .memory = memory_});
  if (!timeline.ok()) return timeline.status();
  auto writer = folder_.Begin(key, directory, KeptTimelineBytes(**timeline));
  if (!writer.ok()) return writer.status();
  KeepTimeline(**timeline, *writer);
  if (absl::Status status = CheckUnchanged(directory, *fingerprint); !status.ok()) return status;
  made.set_is_made(true);
  return writer->Commit();
}

absl::StatusOr<const Waits*> UnitMaker::WaitsOf(const pb::SweepUnit& unit, KeptRows rows,
                                                bool finds_questions) {
  if (given_waits_ != nullptr) return given_waits_;
  const std::string wanted = absl::StrCat(unit.timeline().SerializeAsString(), ";",
                                          unit.merge_short_lived(), ";", static_cast<int>(rows));
  if (waits_ != nullptr && opened_key_ == wanted) return waits_.get();
  waits_.reset();
  timeline_.reset();
  auto timeline = TimelineOf(unit, rows, finds_questions);
  if (!timeline.ok()) return timeline.status();
  timeline_ = std::make_unique<const Timeline>(*std::move(timeline));
  waits_ = std::make_unique<const Waits>(
      *timeline_, WaitsOptions{.merge_short_lived = unit.merge_short_lived(), .threads = threads_});
  opened_key_ = wanted;
  return waits_.get();
}

absl::Status UnitMaker::BringTimeline(const pb::SweepUnit& unit) const {
  if (unit.holder_folder() == folder_.identity()) return absl::OkStatus();
  return folder_.Bring(ranks_, static_cast<int>(unit.holder()), unit.timeline());
}

absl::StatusOr<Timeline> UnitMaker::TimelineOf(const pb::SweepUnit& unit, KeptRows rows,
                                               bool finds_questions) const {
  if (absl::Status status = BringTimeline(unit); !status.ok()) return status;
  auto entry = folder_.Find(unit.timeline());
  if (!entry.ok()) return entry.status();
  if (!IsJoined(*entry)) return KeptTimelineOf(*std::move(entry), ColumnsWithin(memory_));
  const auto plan = KeptPlanOf(*entry);
  if (!plan.ok()) return plan.status();
  std::optional<std::vector<QuestionCount>> questions;  // sweeps do not ask for them
  if (!finds_questions) questions.emplace();
  auto joined = ComposedOf(*plan, ranks_, folder_, memory_,
                           {unit.holders().begin(), unit.holders().end()}, rows, questions);
  if (!joined.ok()) return joined.status();
  return std::move(joined->timeline);
}

// Without a result it only opens the timeline: the sweeps are near.
absl::Status UnitMaker::Sweep(const pb::SweepUnit& unit, pb::RankMade& made) {
  joining_.Forget();  // by now all nodes are joined
  if (!unit.has_result()) {
    made.set_is_made(true);
    if (unit.has_questions() && !folder_.Find(unit.questions()).ok())
      return OpenWithQuestions(unit);
    return WaitsOf(unit, KeptRows::kForSweeps).status();
  }
  *made.mutable_result() = unit.result();
  if (folder_.Find(unit.result()).ok()) return absl::OkStatus();
  const auto waits = WaitsOf(unit, KeptRows::kForSweeps);
  if (!waits.ok()) return waits.status();
  SweptWindows swept =
      SweepPart(**waits,
                {.from_ns = unit.whole_from_ns(),
                 .to_ns = unit.whole_to_ns(),
                 .kept_borders_ns = {unit.kept_borders_ns().begin(), unit.kept_borders_ns().end()},
                 .bytes_per_event = unit.bytes_per_event(),
                 .threads = threads_},
                unit.from_ns(), unit.to_ns());
  swept.disk_waits = WhereDiskWaitsOverlap(**waits, unit.from_ns(), unit.to_ns(), swept.disk_waits);
  auto writer = folder_.Begin(unit.result(), "a part of a sweep");
  if (!writer.ok()) return writer.status();
  KeepSweep(swept, *writer);
  made.set_is_made(true);
  return writer->Commit();
}

absl::Status UnitMaker::Windows(const pb::WindowsUnit& unit, pb::RankMade& made) {
  *made.mutable_result() = unit.result();
  if (folder_.Find(unit.result()).ok()) return absl::OkStatus();
  const auto waits = WaitsOf(unit.timeline(), KeptRows::kAll);
  if (!waits.ok()) return waits.status();
  if (unit.timeline().holder_folder() != folder_.identity()) {
    const auto holder = static_cast<int>(unit.timeline().holder());
    if (absl::Status status = folder_.Bring(ranks_, holder, unit.graph()); !status.ok())
      return status;
  }
  made.set_is_made(true);
  return MakeWindows(unit, (*waits)->timeline(), folder_, threads_);
}

absl::Status UnitMaker::OpenWithQuestions(const pb::SweepUnit& unit) {
  opened_key_.clear();  // it may have been opened without them
  const auto waits = WaitsOf(unit, KeptRows::kForSweeps, /*finds_questions=*/true);
  if (!waits.ok()) return waits.status();
  auto writer = folder_.Begin(unit.questions(), "who asks whom");
  if (!writer.ok()) return writer.status();
  KeepQuestions((*waits)->timeline().questions(), *writer);
  return writer->Commit();
}

absl::Status UnitMaker::Devices(const pb::DevicesUnit& unit, pb::RankMade& made) {
  *made.mutable_result() = unit.result();
  if (folder_.Find(unit.result()).ok()) return absl::OkStatus();
  const auto waits = WaitsOf(unit.timeline(), KeptRows::kForSweeps);
  if (!waits.ok()) return waits.status();
  return devices_.Make(unit, **waits, made);
}

}  // namespace gordian
