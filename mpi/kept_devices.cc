// SPDX-License-Identifier: Apache-2.0
#include "mpi/kept_devices.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kDeviceWindowsStage[] = "mpi-device-windows";
constexpr char kBordersSection[] = "borders";
constexpr char kDiskWaitsSection[] = "disk waits";

absl::Status DevicesContradiction() {
  return absl::DataLossError("kept devices contradict themselves");
}

template <typename Row>
void KeepGroups(const std::string& name, const RowGroupsView<Row>& groups, StoreWriter& writer) {
  writer.AddColumn<Row>(absl::StrCat(name, ".rows"), groups.rows);
  writer.AddColumn<uint64_t>(absl::StrCat(name, ".ends"), groups.ends);
}

template <typename Row>
absl::Status ReadGroups(StoredEntry& entry, const std::string& name, RowGroupsView<Row>& groups) {
  const auto rows = entry.Column<Row>(absl::StrCat(name, ".rows"));
  if (!rows.ok()) return rows.status();
  const auto ends = entry.Column<uint64_t>(absl::StrCat(name, ".ends"));
  if (!ends.ok()) return ends.status();
  groups = {*rows, *ends};
  const bool is_whole = std::is_sorted(ends->begin(), ends->end()) &&
                        (ends->empty() ? rows->empty() : ends->back() == rows->size());
  return is_whole ? absl::OkStatus() : DevicesContradiction();
}

template <typename Row>
RowGroups<Row> CopyOfGroups(const RowGroupsView<Row>& groups) {
  return {{groups.rows.begin(), groups.rows.end()}, {groups.ends.begin(), groups.ends.end()}};
}

}  // namespace

absl::StatusOr<pb::RankKey> KeepDeviceWindows(const DeviceWindows& windows,
                                              const pb::RankKey& timeline,
                                              const WorkFolder& folder) {
  pb::RankKey key;
  key.set_recording(timeline.recording());
  key.set_stage(kDeviceWindowsStage);
  key.set_options(absl::StrCat(timeline.stage(), ";",
                               ContentHash(std::as_bytes(windows.borders_ns)), ";",
                               ContentHash(std::as_bytes(windows.disk_waits))));
  // Damage would show to those who make units of it, who cannot mend it.
  if (auto entry = folder.Find(key); entry.ok() && KeptDeviceWindowsOf(*entry).ok()) return key;
  auto writer = folder.Begin(key, "windows of devices");
  if (!writer.ok()) return writer.status();
  writer->AddColumn<uint64_t>(kBordersSection, windows.borders_ns);
  writer->AddColumn<WaitInterval>(kDiskWaitsSection, windows.disk_waits);
  if (absl::Status status = writer->Commit(); !status.ok()) return status;
  return key;
}

absl::StatusOr<DeviceWindows> KeptDeviceWindowsOf(StoredEntry& entry) {
  const auto borders = entry.Column<uint64_t>(kBordersSection);
  if (!borders.ok()) return borders.status();
  const auto waits = entry.Column<WaitInterval>(kDiskWaitsSection);
  if (!waits.ok()) return waits.status();
  if (!std::is_sorted(borders->begin(), borders->end())) return DevicesContradiction();
  return DeviceWindows{*borders, *waits};
}

void KeepDevices(const CountedDevices& counted, StoreWriter& writer) {
  const DiskStretchesView disks = counted.disks.view();
  writer.AddColumn<EntityId>("disks", disks.disks);
  writer.AddColumn<uint64_t>("without end", disks.requests_without_end);
  KeepGroups("busy", disks.busy, writer);
  KeepGroups("several", disks.several, writer);
  KeepGroups("devices", counted.devices.view(), writer);
  KeepGroups("work", counted.work.view(), writer);
  KeepGroups("ended idle", counted.ended_idle.view(), writer);
}

absl::Status AddKeptDevices(StoredEntry& entry, DevicesOfNodes& all) {
  const auto disks = entry.Column<EntityId>("disks");
  if (!disks.ok()) return disks.status();
  const auto without_end = entry.Column<uint64_t>("without end");
  if (!without_end.ok()) return without_end.status();
  RowGroupsView<Stretch> busy;
  RowGroupsView<Stretch> several;
  RowGroupsView<DeviceSum> devices;
  RowGroupsView<WorkSum> work;
  RowGroupsView<EndedIdle> ended_idle;
  absl::Status status = ReadGroups(entry, "busy", busy);
  if (status.ok()) status = ReadGroups(entry, "several", several);
  if (status.ok()) status = ReadGroups(entry, "devices", devices);
  if (status.ok()) status = ReadGroups(entry, "work", work);
  if (status.ok()) status = ReadGroups(entry, "ended idle", ended_idle);
  if (!status.ok()) return status;
  const size_t windows = devices.groups();
  const bool is_whole = without_end->size() == disks->size() && busy.groups() == disks->size() &&
                        several.groups() == disks->size() && work.groups() == windows &&
                        ended_idle.groups() == windows;
  if (!is_whole) return DevicesContradiction();
  CountedDevices of_nodes;
  of_nodes.disks.disks.assign(disks->begin(), disks->end());
  of_nodes.disks.requests_without_end.assign(without_end->begin(), without_end->end());
  of_nodes.disks.busy = StretchesOfDisks::Over(busy);
  of_nodes.disks.several = StretchesOfDisks::Over(several);
  of_nodes.devices = CopyOfGroups(devices);
  of_nodes.work = CopyOfGroups(work);
  of_nodes.ended_idle = CopyOfGroups(ended_idle);
  all.Add(std::move(of_nodes));
  return absl::OkStatus();
}

}  // namespace gordian
