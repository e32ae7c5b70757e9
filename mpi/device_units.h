// SPDX-License-Identifier: Apache-2.0
// Units that count what a node's devices did, as one rank makes them. Inner to the room.
//
// There are as many units as nodes. So what concerns all nodes is read once, for the first unit,
// and kept by node: else the cost of a unit would grow with the number of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/read_options.h"
#include "analyzer/devices/devices.h"
#include "analyzer/waits/waits.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"

namespace gordian {

class DeviceUnits {
 public:
  // Both must outlive it.
  DeviceUnits(Ranks& ranks, const WorkFolder& folder, int threads, MemoryOptions memory)
      : ranks_(ranks), folder_(folder), threads_(threads), memory_(std::move(memory)) {}

  // `waits` are those of the unit's timeline.
  absl::Status Make(const pb::DevicesUnit& unit, const Waits& waits, pb::RankMade& made);
  // No unit will follow soon.
  void Forget();

 private:
  absl::Status Open(const pb::DevicesUnit& unit, const Waits& waits);
  absl::Status PartDiskWaits(std::span<const WaitInterval> disk_waits, const Timeline& timeline);
  void PartDevices(const Timeline& timeline);
  absl::StatusOr<CountedDevices> Count(const pb::DevicesUnit& unit, const Waits& waits) const;
  absl::StatusOr<CountedDevices> CountNode(uint32_t node, const Waits& waits,
                                           ResultsInARow& parts) const;

  Ranks& ranks_;
  const WorkFolder& folder_;
  const int threads_;
  const MemoryOptions memory_;
  // Of the last unit's timeline and windows.
  std::string opened_key_;
  bool is_joined_ = false;
  std::vector<pb::RankKey> moved_;  // by node
  std::vector<uint64_t> borders_ns_;
  ColumnMemory columns_;
  std::span<WaitInterval> disk_waits_;  // by node
  std::vector<uint64_t> ends_of_disk_waits_;
  std::vector<std::vector<EntityId>> devices_;  // by node: disks and interfaces
};

}  // namespace gordian
