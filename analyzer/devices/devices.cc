// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/devices.h"

#include <algorithm>
#include <map>

#include "analyzer/devices/disk_requests.h"
#include "analyzer/devices/idle_shares.h"
#include "analyzer/devices/thresholds.h"
#include "analyzer/timeline/timeline.h"
#include "base/time_units.h"

namespace gordian {
namespace {

constexpr uint64_t kBitsPerByte = 8;

struct Range {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  bool Holds(uint64_t time_ns) const { return from_ns <= time_ns && time_ns < to_ns; }
  uint64_t length_ns() const { return to_ns - from_ns; }
};

uint64_t BusyWithin(std::span<const Stretch> busy, Range range) {
  uint64_t busy_ns = 0;
  for (const Stretch& stretch : busy) {
    const uint64_t from_ns = std::max(stretch.from_ns, range.from_ns);
    const uint64_t to_ns = std::min(stretch.to_ns, range.to_ns);
    if (from_ns < to_ns) busy_ns += to_ns - from_ns;
  }
  return busy_ns;
}

// When the first wait of the thread after that time ends, if it is for a disk.
uint64_t GoesOnAt(const Timeline& timeline, EntityId thread, uint64_t issue_ns) {
  if (thread >= timeline.thread_count()) return UINT64_MAX;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, issue_ns); !at.done(); at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (segment.kind != SegmentKind::kWait || at.start_ns() < issue_ns) continue;
    return segment.cause == WaitCause::kDisk && !segment.open_end ? at.end_ns() : UINT64_MAX;
  }
  return UINT64_MAX;
}

// The waits of all threads for each disk.
std::map<EntityId, std::vector<Stretch>> DiskWaits(const Timeline& timeline, Range range) {
  std::map<EntityId, std::vector<Stretch>> waits_for;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (SegmentCursor at = timeline.SegmentsFrom(thread, range.from_ns);
         !at.done() && at.start_ns() < range.to_ns; at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kDisk)
        waits_for[segment.waker].push_back({at.start_ns(), at.end_ns()});
    }
  }
  return waits_for;
}

DeviceUse UseOfDisk(EntityId device, std::span<const BlockRecord> records,
                    std::span<const Stretch> disk_waits, const Waits& waits, Range range) {
  const Timeline& timeline = waits.timeline();
  DeviceUse use{.device = device};
  DiskTimes times = BusyTimes(
      records, disk_waits, timeline.pauses(), timeline.start_ns(), timeline.end_ns(),
      [&](EntityId thread, uint64_t issue_ns) { return GoesOnAt(timeline, thread, issue_ns); });
  use.busy = std::move(times.busy);
  use.requests_without_end = times.requests_without_end;
  use.busy_ns = BusyWithin(use.busy, range);
  use.several_ns = BusyWithin(times.several, range);

  std::map<EntityId, Work> work_of;
  size_t next_busy = 0;
  for (const BlockRecord& record : records) {
    if (record.complete || !range.Holds(record.time_ns)) continue;
    use.bytes += record.bytes;
    ++use.operations;
    if (record.thread == kNobody) continue;
    // Whether it ended an idle stretch.
    while (next_busy < use.busy.size() && use.busy[next_busy].from_ns < record.time_ns) ++next_busy;
    if (next_busy == use.busy.size() || use.busy[next_busy].from_ns != record.time_ns) continue;
    const uint64_t idle_since_ns =
        std::max(range.from_ns, next_busy > 0 ? use.busy[next_busy - 1].to_ns : range.from_ns);
    const uint64_t idle_ns = record.time_ns - idle_since_ns;
    Work& work = work_of[waits.Representative(record.thread)];
    work.given += idle_ns;
    ++work.count;
    work.longest_ns = std::max(work.longest_ns, idle_ns);
    ++next_busy;
  }
  use.idle_edges = ShareIdleTime(device, range.length_ns() - use.busy_ns, work_of);
  return use;
}

uint64_t BitsPerSecond(const Timeline& timeline, uint32_t index) {
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (interface.index() == index) return interface.loopback() ? 0 : interface.bits_per_second();
  }
  return 0;
}

DeviceUse UseOfNic(EntityId device, const Waits& waits, Range range) {
  const Timeline& timeline = waits.timeline();
  DeviceUse use{.device = device};
  const Entity& nic = timeline.entities()[device];
  const uint32_t index = nic.device;
  uint64_t sent_bytes = 0;
  uint64_t received_bytes = 0;
  std::map<EntityId, Work> work_of;
  for (const PacketRecord& record : timeline.packet_rows()[nic.node]) {
    if (record.interface != index || !range.Holds(record.time_ns)) continue;
    ++use.operations;
    (record.sent ? sent_bytes : received_bytes) += record.bytes;
    if (!record.sent || record.thread == kNobody) continue;
    Work& work = work_of[waits.Representative(record.thread)];
    work.given += std::max<uint64_t>(record.bytes, kLeastBytes);
    ++work.count;
    work.longest_ns = range.length_ns();
  }
  use.bytes = sent_bytes + received_bytes;
  const uint64_t bits_per_second = BitsPerSecond(timeline, index);
  if (bits_per_second != 0) {
    const auto bits =
        static_cast<unsigned __int128>(std::max(sent_bytes, received_bytes)) * kBitsPerByte;
    const unsigned __int128 needed_ns = bits * kNsPerSecond / bits_per_second;
    use.busy_ns =
        needed_ns > range.length_ns() ? range.length_ns() : static_cast<uint64_t>(needed_ns);
  }
  use.idle_edges = ShareIdleTime(device, range.length_ns() - use.busy_ns, work_of);
  return use;
}

}  // namespace

std::vector<DeviceUse> UseOfDevices(const Waits& waits, uint64_t from_ns, uint64_t to_ns) {
  const Timeline& timeline = waits.timeline();
  const Range range{from_ns, to_ns};
  std::map<uint32_t, std::vector<BlockRecord>> records_of;
  for (const BlockRecord& record : timeline.block_records()) {
    records_of[record.device].push_back(record);
  }
  std::map<EntityId, std::vector<Stretch>> disk_waits = DiskWaits(timeline, range);
  std::vector<DeviceUse> uses;
  for (EntityId id = timeline.thread_count(); id < timeline.entities().size(); ++id) {
    const Entity& entity = timeline.entities()[id];
    if (entity.kind == EntityKind::kDisk) {
      uses.push_back(UseOfDisk(id, records_of[entity.device], disk_waits[id], waits, range));
    } else if (entity.kind == EntityKind::kNic) {
      uses.push_back(UseOfNic(id, waits, range));
    }
  }
  return uses;
}

}  // namespace gordian
