// SPDX-License-Identifier: Apache-2.0
#include "mpi/device_units.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recording.h"
#include "analyzer/devices/devices_of_nodes.h"
#include "mpi/join_units.h"
#include "mpi/kept_devices.h"
#include "mpi/rank_joining.h"
#include "mpi/rank_plan.h"

namespace gordian {
absl::Status DeviceUnits::Make(const pb::DevicesUnit& unit, const Waits& waits,
                               pb::RankMade& made) {
  if (absl::Status status = Open(unit, waits); !status.ok()) return status;
  if (unit.node() >= unit.end_node() || unit.end_node() > devices_.size())
    return absl::InvalidArgumentError("a unit of no node");
  const auto counted = Count(unit, waits);
  if (!counted.ok()) return counted.status();
  auto writer = folder_.Begin(unit.result(), "devices of nodes");
  if (!writer.ok()) return writer.status();
  KeepDevices(*counted, *writer);
  made.set_is_made(true);
  return writer->Commit();
}

void DeviceUnits::Forget() {
  opened_key_.clear();
  moved_ = {};
  borders_ns_ = {};
  columns_ = {};
  disk_waits_ = {};
  ends_of_disk_waits_ = {};
  devices_ = {};
}

absl::Status DeviceUnits::Open(const pb::DevicesUnit& unit, const Waits& waits) {
  const std::string wanted = absl::StrCat(unit.timeline().timeline().SerializeAsString(), ";",
                                          unit.windows().SerializeAsString());
  if (opened_key_ == wanted) return absl::OkStatus();
  Forget();
  if (unit.timeline().holder_folder() != folder_.identity()) {
    const auto holder = static_cast<int>(unit.timeline().holder());
    if (absl::Status status = folder_.Bring(ranks_, holder, unit.windows()); !status.ok())
      return status;
  }
  auto timeline = folder_.Find(unit.timeline().timeline());
  if (!timeline.ok()) return timeline.status();
  is_joined_ = IsJoined(*timeline);
  if (is_joined_) {
    auto moved = KeptPartsOf(*timeline);
    if (!moved.ok()) return moved.status();
    if (moved->size() != waits.timeline().node_count())
      return absl::DataLossError("the plan of a joined timeline has other parts");
    moved_ = *std::move(moved);
  }
  auto entry = folder_.Find(unit.windows());
  if (!entry.ok()) return entry.status();
  const auto windows = KeptDeviceWindowsOf(*entry);
  if (!windows.ok()) return windows.status();
  borders_ns_.assign(windows->borders_ns.begin(), windows->borders_ns.end());
  if (absl::Status status = PartDiskWaits(windows->disk_waits, waits.timeline()); !status.ok())
    return status;
  PartDevices(waits.timeline());
  opened_key_ = wanted;
  return absl::OkStatus();
}

// Those of a node's own disks are few of all.
absl::Status DeviceUnits::PartDiskWaits(std::span<const WaitInterval> disk_waits,
                                        const Timeline& timeline) {
  const std::vector<Entity>& entities = timeline.entities();
  std::vector<size_t> next(timeline.node_count() + size_t{1});
  for (const WaitInterval& wait : disk_waits) {
    if (wait.waker >= entities.size()) return absl::DataLossError("a kept wait is for no disk");
    ++next[entities[wait.waker].node + size_t{1}];
  }
  for (size_t node = 0; node < timeline.node_count(); ++node) {
    next[node + 1] += next[node];
    ends_of_disk_waits_.push_back(next[node + 1]);
  }
  columns_ = ColumnsWithin(memory_);
  disk_waits_ = columns_.Make<WaitInterval>(disk_waits.size());
  for (const WaitInterval& wait : disk_waits) disk_waits_[next[entities[wait.waker].node]++] = wait;
  return absl::OkStatus();
}

void DeviceUnits::PartDevices(const Timeline& timeline) {
  devices_.resize(timeline.node_count());
  for (EntityId id = timeline.thread_count(); id < timeline.entities().size(); ++id) {
    const Entity& entity = timeline.entities()[id];
    if (entity.kind == EntityKind::kDisk || entity.kind == EntityKind::kNic)
      devices_[entity.node].push_back(id);
  }
}

absl::StatusOr<CountedDevices> DeviceUnits::Count(const pb::DevicesUnit& unit,
                                                  const Waits& waits) const {
  ResultsInARow parts(folder_);
  auto first = CountNode(unit.node(), waits, parts);
  if (!first.ok() || unit.node() + 1 == unit.end_node()) return first;
  DevicesOfNodes all(ColumnsWithin(memory_));
  all.Add(*std::move(first));
  for (uint32_t node = unit.node() + 1; node < unit.end_node(); ++node) {
    auto counted = CountNode(node, waits, parts);
    if (!counted.ok()) return counted.status();
    all.Add(*std::move(counted));
  }
  return all.Take();
}

// Requests and packets are those of the node's own part: the joined timeline that sweeps use has
// none.
absl::StatusOr<CountedDevices> DeviceUnits::CountNode(uint32_t node, const Waits& waits,
                                                      ResultsInARow& parts) const {
  const ColumnMemory memory = ColumnsWithin(memory_);
  DeviceQuestion question{
      .devices = devices_[node],
      .records = DeviceRecordsOf(waits.timeline()),
      .borders_ns = borders_ns_,
      .disk_waits = RowGroupsView<WaitInterval>{disk_waits_, ends_of_disk_waits_}.Of(node),
      .memory = memory};
  if (!is_joined_) return CountDevices(waits, question, threads_);
  auto entry = parts.Find(moved_[node]);
  if (!entry.ok()) return entry.status();
  const auto part = KeptMovedNodeOf(*std::move(entry), memory, KeptRows::kWithoutFlights);
  if (!part.ok()) return part.status();
  const auto packets = Column<PacketRecord>::Over(part->timeline.packet_rows().front());
  question.records = {
      .requests = part->timeline.block_records(), .packets = {&packets, 1}, .first_node = node};
  return CountDevices(waits, question, threads_);
}

}  // namespace gordian
