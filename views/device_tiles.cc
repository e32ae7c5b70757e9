// SPDX-License-Identifier: Apache-2.0
#include "views/device_tiles.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/time_units.h"

namespace gordian {
namespace {

constexpr size_t kBusy = static_cast<size_t>(SegmentKind::kRun);
constexpr size_t kIdle = static_cast<size_t>(SegmentKind::kWait);

void AddDisk(const TileSource& source, const TileColumns& columns, EntityId device,
             std::span<TileCell> cells) {
  const DiskStretchesView& disks = source.windows().disks;
  const auto found = std::lower_bound(disks.disks.begin(), disks.disks.end(), device);
  if (found == disks.disks.end() || *found != device) return;
  const auto busy = disks.busy.Of(static_cast<size_t>(found - disks.disks.begin()));
  const uint64_t from_ns = columns.borders().front();
  auto at = std::partition_point(busy.begin(), busy.end(),
                                 [&](const Stretch& one) { return one.to_ns <= from_ns; });
  for (; at != busy.end() && at->from_ns < columns.borders().back(); ++at) {
    columns.Spread(at->from_ns, at->to_ns, [&](uint32_t column, uint64_t from, uint64_t to) {
      cells[column].time_ns[kBusy] += to - from;
    });
  }
}

using SentAndReceived = std::array<uint64_t, 2>;

void AddPackets(const TileSource& source, const TileColumns& columns, const TileColumns::Run& run,
                const Entity& entity, std::span<SentAndReceived> bytes) {
  const auto& rows = source.timeline().packet_rows();
  if (entity.node >= rows.size()) return;
  const std::span<const PacketRecord> packets(rows[entity.node]);
  auto at = std::partition_point(packets.begin(), packets.end(), [&](const PacketRecord& packet) {
    return packet.time_ns < columns.borders()[run.first];
  });
  uint32_t column = run.first;
  for (; at != packets.end() && at->time_ns < columns.borders()[run.end]; ++at) {
    if (at->interface != entity.device) continue;
    while (columns.borders()[column + 1] <= at->time_ns) ++column;
    bytes[column][at->sent ? 0 : 1] += at->bytes;
  }
}

void AddWindowBytes(const TileSource& source, const TileColumns& columns,
                    const TileColumns::Run& run, EntityId device,
                    std::span<SentAndReceived> bytes) {
  const WindowSumsView& windows = source.windows();
  for (size_t window = run.first_window; window < run.end_window; ++window) {
    const auto rows = windows.devices.Of(window);
    const auto at =
        std::lower_bound(rows.begin(), rows.end(), device,
                         [](const DeviceSum& row, EntityId id) { return row.device < id; });
    if (at == rows.end() || at->device != device) continue;
    SentAndReceived& sums = bytes[columns.ColumnOf(windows.borders_ns[window])];
    sums[0] += at->bytes;
    sums[1] += at->received_bytes;
  }
}

double BytesPerNs(const Timeline& timeline, const Entity& nic) {
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (interface.index() == nic.device && !interface.loopback())
      return static_cast<double>(interface.bits_per_second()) / 8 / kNsPerSecond;
  }
  return 0;
}

void AddInterface(const TileSource& source, const TileColumns& columns, EntityId device,
                  std::span<TileCell> cells) {
  const Entity& entity = source.timeline().entities()[device];
  std::vector<SentAndReceived> bytes(cells.size());
  for (const TileColumns::Run& run : columns.runs()) {
    if (run.from_windows) {
      AddWindowBytes(source, columns, run, device, bytes);
    } else {
      AddPackets(source, columns, run, entity, bytes);
    }
  }
  const auto width_ns = [&](size_t column) {
    return static_cast<double>(columns.borders()[column + 1] - columns.borders()[column]);
  };
  double speed = BytesPerNs(source.timeline(), entity);
  if (speed <= 0) {
    for (size_t column = 0; column < cells.size(); ++column) {
      const auto most = static_cast<double>(std::max(bytes[column][0], bytes[column][1]));
      if (width_ns(column) > 0) speed = std::max(speed, most / width_ns(column));
    }
  }
  for (size_t column = 0; column < cells.size() && speed > 0; ++column) {
    const auto most = static_cast<double>(std::max(bytes[column][0], bytes[column][1]));
    cells[column].time_ns[kBusy] = static_cast<uint64_t>(std::min(most / speed, width_ns(column)));
  }
}

}  // namespace

void AddDevice(const TileSource& source, const TileColumns& columns, EntityId device,
               std::span<TileCell> cells) {
  if (source.timeline().entities()[device].kind == EntityKind::kDisk) {
    AddDisk(source, columns, device, cells);
  } else {
    AddInterface(source, columns, device, cells);
  }
  for (size_t column = 0; column < cells.size(); ++column) {
    const uint64_t width_ns = columns.borders()[column + 1] - columns.borders()[column];
    cells[column].time_ns[kIdle] = width_ns - cells[column].time_ns[kBusy];
  }
}

}  // namespace gordian
