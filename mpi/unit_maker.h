// SPDX-License-Identifier: Apache-2.0
// Makes units: pieces of an analysis whose results do not depend on which rank makes them, nor
// when.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "analysis/read_options.h"
#include "analyzer/waits/waits.h"
#include "mpi/device_units.h"
#include "mpi/join_units.h"
#include "mpi/kept_devices.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"

namespace gordian {

class UnitMaker {
 public:
  // Both must outlive it.
  UnitMaker(Ranks& ranks, const WorkFolder& folder, int threads, MemoryOptions memory)
      : ranks_(ranks),
        folder_(folder),
        threads_(threads),
        memory_(memory),
        joining_(ranks, folder, threads, memory),
        devices_(ranks, folder, threads, std::move(memory)) {}

  // Not made again if it is there. A failure stands in the result.
  pb::RankMade Make(const pb::RankUnit& unit);

  // The waits of the timeline that sweeps are about, if this process has them already; null: it
  // opens the kept timeline. They must outlive its use.
  void Use(const Waits* waits) { given_waits_ = waits; }

 private:
  absl::Status Settle(const pb::SettleUnit& unit, pb::RankMade& made) const;
  absl::Status Sweep(const pb::SweepUnit& unit, pb::RankMade& made);
  absl::Status Windows(const pb::WindowsUnit& unit, pb::RankMade& made);
  absl::Status Devices(const pb::DevicesUnit& unit, pb::RankMade& made);
  // Opens the timeline, and finds who asks whom on the way.
  absl::Status OpenWithQuestions(const pb::SweepUnit& unit);
  // `finds_questions`: with who asks whom, if it was not open.
  absl::StatusOr<const Waits*> WaitsOf(const pb::SweepUnit& unit, KeptRows rows,
                                       bool finds_questions = false);
  absl::Status BringTimeline(const pb::SweepUnit& unit) const;
  absl::StatusOr<Timeline> TimelineOf(const pb::SweepUnit& unit, KeptRows rows,
                                      bool finds_questions) const;

  Ranks& ranks_;
  const WorkFolder& folder_;
  const int threads_;
  const MemoryOptions memory_;
  JoinUnits joining_;
  DeviceUnits devices_;
  pb::RankUnit::WorkCase latest_kind_ = pb::RankUnit::WORK_NOT_SET;
  const Waits* given_waits_ = nullptr;
  // Of the last sweep: the next one is mostly of the same timeline.
  std::string opened_key_;
  std::unique_ptr<const Timeline> timeline_;
  std::unique_ptr<const Waits> waits_;
};

}  // namespace gordian
