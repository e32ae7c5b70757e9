// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/devices.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/devices/disk_requests.h"
#include "analyzer/devices/idle_shares.h"
#include "analyzer/devices/thresholds.h"
#include "analyzer/timeline/timeline.h"
#include "base/parallel.h"
#include "base/time_units.h"

namespace gordian {
namespace {

constexpr uint64_t kBitsPerByte = 8;

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

// Calls use(device) for each that the question is about.
template <typename Use>
void ForEachDevice(const Timeline& timeline, const DeviceQuestion& question, Use use) {
  if (question.devices) {
    for (const EntityId id : *question.devices) use(id);
    return;
  }
  for (EntityId id = timeline.thread_count(); id < timeline.entities().size(); ++id) use(id);
}

std::vector<EntityId> Disks(const Timeline& timeline, const DeviceQuestion& question) {
  std::vector<EntityId> disks;
  ForEachDevice(timeline, question, [&](EntityId id) {
    if (timeline.entities()[id].kind == EntityKind::kDisk) disks.push_back(id);
  });
  return disks;
}

// The waits of all threads for disks.
std::vector<WaitInterval> DiskWaits(const Timeline& timeline, uint64_t from_ns, uint64_t to_ns) {
  std::vector<WaitInterval> disk_waits;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (SegmentCursor at = timeline.SegmentsFrom(thread, from_ns);
         !at.done() && at.start_ns() < to_ns; at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kDisk)
        disk_waits.push_back({at.start_ns(), at.end_ns(), thread, segment.waker});
    }
  }
  return disk_waits;
}

uint64_t BitsPerSecond(const Timeline& timeline, uint32_t index) {
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (interface.index() == index) return interface.loopback() ? 0 : interface.bits_per_second();
  }
  return 0;
}

// How long the bytes of the busier direction take.
uint64_t BusyTimeOf(const DeviceSum& nic, uint64_t bits_per_second, uint64_t length_ns) {
  if (bits_per_second == 0) return 0;
  const auto bits =
      static_cast<unsigned __int128>(std::max(nic.bytes, nic.received_bytes)) * kBitsPerByte;
  const unsigned __int128 needed_ns = bits * kNsPerSecond / bits_per_second;
  return needed_ns > length_ns ? length_ns : static_cast<uint64_t>(needed_ns);
}

// The records within the range, of rows in order of time.
template <typename Record>
std::span<const Record> Within(std::span<const Record> records, uint64_t from_ns, uint64_t to_ns) {
  const auto before = [](const Record& record, uint64_t time_ns) {
    return record.time_ns < time_ns;
  };
  const auto first = std::lower_bound(records.begin(), records.end(), from_ns, before);
  return {first, std::lower_bound(first, records.end(), to_ns, before)};
}

// The first stretch that ends behind that time.
std::span<const Stretch>::iterator FirstAfter(std::span<const Stretch> stretches,
                                              uint64_t time_ns) {
  return std::upper_bound(
      stretches.begin(), stretches.end(), time_ns,
      [](uint64_t time, const Stretch& stretch) { return time < stretch.to_ns; });
}

uint64_t TimeWithin(std::span<const Stretch> stretches, uint64_t from_ns, uint64_t to_ns) {
  uint64_t sum_ns = 0;
  for (auto at = FirstAfter(stretches, from_ns); at != stretches.end() && at->from_ns < to_ns; ++at)
    sum_ns += std::min(at->to_ns, to_ns) - std::max(at->from_ns, from_ns);
  return sum_ns;
}

// By disk, the places of its rows: these are many times as large, and all of them twice may be more
// than memory holds.
using PlacesOfDisks = absl::flat_hash_map<uint32_t, std::vector<uint32_t>>;

template <typename Row, typename Of>
PlacesOfDisks PlacesBy(std::span<const Row> rows, Of of) {
  absl::flat_hash_map<uint32_t, size_t> counts;
  for (const Row& row : rows) ++counts[of(row)];
  PlacesOfDisks places;
  for (const auto& [disk, count] : counts) places[disk].reserve(count);
  for (uint32_t i = 0; i < rows.size(); ++i) places[of(rows[i])].push_back(i);
  return places;
}

std::span<const uint32_t> PlacesOf(const PlacesOfDisks& places, uint32_t disk) {
  const auto found = places.find(disk);
  return found == places.end() ? std::span<const uint32_t>() : found->second;
}

DiskStretches FindDiskStretches(const Timeline& timeline, const DeviceQuestion& question,
                                int threads) {
  DiskStretches found(question.memory);
  found.disks = Disks(timeline, question);
  const size_t disks = found.disks.size();
  if (disks == 0) return found;
  const std::span<const BlockRecord> records = question.records.requests;
  const std::span<const WaitInterval> disk_waits = question.disk_waits;
  const auto records_of = PlacesBy(records, [](const BlockRecord& one) { return one.device; });
  const auto waits_for = PlacesBy(disk_waits, [](const WaitInterval& one) { return one.waker; });
  std::vector<DiskTimes> times(disks);
  ParallelFor(ThreadCount(threads), disks, [&](size_t i, int) {
    const EntityId disk = found.disks[i];
    Column<BlockRecord> own(question.memory);
    const auto places = PlacesOf(records_of, timeline.entities()[disk].device);
    for (const uint32_t place : places) own.push_back(records[place]);
    std::vector<Stretch> waits;
    for (const uint32_t place : PlacesOf(waits_for, disk))
      waits.push_back({disk_waits[place].start_ns, disk_waits[place].end_ns});
    times[i] = BusyTimes(
        own, waits, timeline.pauses(), timeline.start_ns(), timeline.end_ns(),
        [&](EntityId thread, uint64_t issue_ns) { return GoesOnAt(timeline, thread, issue_ns); },
        question.memory);
    times[i].busy.shrink_to_fit();
    times[i].several.shrink_to_fit();
  });
  for (DiskTimes& disk : times) {
    found.busy.Add(disk.busy);
    found.several.Add(disk.several);
    found.requests_without_end.push_back(disk.requests_without_end);
    disk = {};
  }
  return found;
}

}  // namespace

DeviceRecords DeviceRecordsOf(const Timeline& timeline) {
  return {.requests = timeline.block_records(), .packets = timeline.packet_rows()};
}

DeviceCounter::DeviceCounter(const Waits& waits, const DiskStretchesView& stretches)
    : DeviceCounter(waits, stretches, {.records = DeviceRecordsOf(waits.timeline())}) {}

DeviceCounter::DeviceCounter(const Waits& waits, const DiskStretchesView& stretches,
                             const DeviceQuestion& question)
    : waits_(waits), stretches_(stretches), records_(question.records) {
  const std::vector<Entity>& entities = waits.timeline().entities();
  ForEachDevice(waits.timeline(), question, [&](EntityId id) {
    if (entities[id].kind == EntityKind::kNic)
      interfaces_.try_emplace({entities[id].node, entities[id].device}, id);
  });
  for (size_t place = 0; place < stretches.disks.size(); ++place)
    place_of_disk_.try_emplace(entities[stretches.disks[place]].device, place);
}

// One window that is being summed up.
class DeviceCounter::Window {
 public:
  Window(const DeviceCounter& counter, uint64_t from_ns, uint64_t to_ns)
      : counter_(counter), stretches_(counter.stretches_), from_ns_(from_ns), to_ns_(to_ns) {}

  DeviceWindow Count() {
    for (size_t place = 0; place < stretches_.disks.size(); ++place) CountStretches(place);
    const DeviceRecords& records = counter_.records_;
    for (const BlockRecord& record : Within(records.requests, from_ns_, to_ns_)) {
      if (!record.complete) CountRequest(record);
    }
    uint32_t node = records.first_node;
    for (const std::span<const PacketRecord> row : records.packets) {
      for (const PacketRecord& record : Within(row, from_ns_, to_ns_)) CountPacket(node, record);
      ++node;
    }
    return Take();
  }

 private:
  void CountStretches(size_t place) {
    const std::span<const Stretch> busy = stretches_.busy.Of(place);
    const uint64_t busy_ns = TimeWithin(busy, from_ns_, to_ns_);
    const uint64_t several_ns = TimeWithin(stretches_.several.Of(place), from_ns_, to_ns_);
    next_busy_.push_back(FirstAfter(busy, from_ns_));
    if (busy_ns == 0 && several_ns == 0) return;
    DeviceSum& sum = SumOf(stretches_.disks[place]);
    sum.busy_ns = busy_ns;
    sum.several_ns = several_ns;
  }

  void CountRequest(const BlockRecord& record) {
    const auto found = counter_.place_of_disk_.find(record.device);
    if (found == counter_.place_of_disk_.end()) return;
    const size_t place = found->second;
    const EntityId disk = stretches_.disks[place];
    DeviceSum& sum = SumOf(disk);
    sum.bytes += record.bytes;
    ++sum.operations;
    if (record.thread == kNobody) return;
    // Whether it ended an idle stretch.
    const std::span<const Stretch> busy = stretches_.busy.Of(place);
    auto& next = next_busy_[place];
    while (next != busy.end() && next->from_ns < record.time_ns) ++next;
    if (next == busy.end() || next->from_ns != record.time_ns) return;
    const uint64_t since_ns = next == busy.begin() ? 0 : (next - 1)->to_ns;
    ++next;
    const EntityId thread = counter_.waits_.Representative(record.thread);
    if (since_ns < from_ns_) {
      window_.ended_idle.push_back({disk, thread, since_ns, record.time_ns});
      return;
    }
    const uint64_t idle_ns = record.time_ns - since_ns;
    WorkSum& work = WorkOf(disk, thread);
    work.given += idle_ns;
    ++work.count;
    work.longest_ns = std::max(work.longest_ns, idle_ns);
  }

  void CountPacket(uint32_t node, const PacketRecord& record) {
    const auto found = counter_.interfaces_.find({node, record.interface});
    if (found == counter_.interfaces_.end()) return;
    DeviceSum& sum = SumOf(found->second);
    ++sum.operations;
    (record.sent ? sum.bytes : sum.received_bytes) += record.bytes;
    if (!record.sent || record.thread == kNobody) return;
    WorkSum& work = WorkOf(found->second, counter_.waits_.Representative(record.thread));
    work.given += std::max<uint64_t>(record.bytes, kLeastBytes);
    ++work.count;
  }

  DeviceWindow Take() {
    std::ranges::sort(window_.devices, {}, &DeviceSum::device);
    std::ranges::sort(window_.work, [](const WorkSum& a, const WorkSum& b) {
      return std::tie(a.device, a.thread) < std::tie(b.device, b.thread);
    });
    std::ranges::sort(window_.ended_idle, {}, &EndedIdle::device);
    return std::move(window_);
  }

  DeviceSum& SumOf(EntityId device) {
    const auto [place, added] = place_of_device_.try_emplace(device, window_.devices.size());
    if (added) window_.devices.push_back({.device = device});
    return window_.devices[place->second];
  }
  WorkSum& WorkOf(EntityId device, EntityId thread) {
    const auto [place, added] =
        place_of_work_.try_emplace(std::pair(device, thread), window_.work.size());
    if (added) window_.work.push_back({.device = device, .thread = thread});
    return window_.work[place->second];
  }

  const DeviceCounter& counter_;
  const DiskStretchesView& stretches_;
  const uint64_t from_ns_;
  const uint64_t to_ns_;
  std::vector<std::span<const Stretch>::iterator> next_busy_;  // by disk
  absl::flat_hash_map<EntityId, size_t> place_of_device_;
  absl::flat_hash_map<std::pair<EntityId, EntityId>, size_t> place_of_work_;
  DeviceWindow window_;
};

DeviceWindow DeviceCounter::Count(uint64_t from_ns, uint64_t to_ns) const {
  return Window(*this, from_ns, to_ns).Count();
}

CountedDevices CountDevices(const Waits& waits, const DeviceQuestion& question, int threads) {
  CountedDevices counted;
  counted.disks = FindDiskStretches(waits.timeline(), question, threads);
  const std::span<const uint64_t> borders_ns = question.borders_ns;
  std::vector<DeviceWindow> windows(borders_ns.empty() ? 0 : borders_ns.size() - 1);
  const DiskStretchesView stretches = counted.disks.view();
  const DeviceCounter counter(waits, stretches, question);
  ParallelFor(ThreadCount(threads), windows.size(),
              [&](size_t i, int) { windows[i] = counter.Count(borders_ns[i], borders_ns[i + 1]); });
  for (const DeviceWindow& window : windows) {
    counted.devices.Add(window.devices);
    counted.work.Add(window.work);
    counted.ended_idle.Add(window.ended_idle);
  }
  return counted;
}

void DeviceTotals::Add(std::span<const DeviceSum> devices, std::span<const WorkSum> work,
                       std::span<const EndedIdle> ended_idle) {
  for (const DeviceSum& more : devices) {
    DeviceSum& sum = devices_[more.device];
    sum.busy_ns += more.busy_ns;
    sum.several_ns += more.several_ns;
    sum.bytes += more.bytes;
    sum.received_bytes += more.received_bytes;
    sum.operations += more.operations;
  }
  const auto add = [this](const WorkSum& more) {
    WorkSum& sum = work_[{more.device, more.thread}];
    sum.given += more.given;
    sum.count += more.count;
    sum.longest_ns = std::max(sum.longest_ns, more.longest_ns);
  };
  for (const WorkSum& more : work) add(more);
  for (const EndedIdle& idle : ended_idle) {
    const uint64_t idle_ns = idle.to_ns - std::max(idle.from_ns, from_ns_);
    add({idle.device, idle.thread, idle_ns, 1, idle_ns});
  }
}

std::vector<DeviceUse> DeviceTotals::Uses(const Timeline& timeline,
                                          const DiskStretchesView& stretches) const {
  const uint64_t length_ns = to_ns_ - from_ns_;
  std::vector<DeviceUse> uses;
  for (EntityId id = timeline.thread_count(); id < timeline.entities().size(); ++id) {
    const Entity& entity = timeline.entities()[id];
    const bool is_disk = entity.kind == EntityKind::kDisk;
    if (!is_disk && entity.kind != EntityKind::kNic) continue;
    const auto found = devices_.find(id);
    const DeviceSum sum = found == devices_.end() ? DeviceSum{} : found->second;
    DeviceUse use{.device = id,
                  .busy_ns = sum.busy_ns,
                  .several_ns = sum.several_ns,
                  .bytes = sum.bytes + sum.received_bytes,
                  .operations = sum.operations};
    if (is_disk) {
      const auto place = std::ranges::lower_bound(stretches.disks, id) - stretches.disks.begin();
      use.requests_without_end = stretches.requests_without_end[static_cast<size_t>(place)];
    } else {
      use.busy_ns = BusyTimeOf(sum, BitsPerSecond(timeline, entity.device), length_ns);
    }
    std::map<EntityId, Work> work_of;
    for (auto at = work_.lower_bound({id, 0}); at != work_.end() && at->first.first == id; ++at) {
      const WorkSum& work = at->second;
      // An interface's idle time is not told by stretches.
      work_of[at->first.second] = {work.given, work.count, is_disk ? work.longest_ns : length_ns};
    }
    use.idle_edges = ShareIdleTime(id, length_ns - use.busy_ns, work_of);
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<DeviceUse> UseOfDevices(const Waits& waits, uint64_t from_ns, uint64_t to_ns) {
  const Timeline& timeline = waits.timeline();
  std::vector<WaitInterval> disk_waits;
  if (!Disks(timeline, {}).empty()) disk_waits = DiskWaits(timeline, from_ns, to_ns);
  const DiskStretches found = FindDiskStretches(
      timeline, {.records = DeviceRecordsOf(timeline), .disk_waits = disk_waits}, /*threads=*/1);
  const DiskStretchesView stretches = found.view();
  const DeviceWindow window = DeviceCounter(waits, stretches).Count(from_ns, to_ns);
  DeviceTotals totals(from_ns, to_ns);
  totals.Add(window.devices, window.work, window.ended_idle);
  std::vector<DeviceUse> uses = totals.Uses(timeline, stretches);
  size_t place = 0;
  for (DeviceUse& use : uses) {
    if (timeline.entities()[use.device].kind != EntityKind::kDisk) continue;
    const std::span<const Stretch> busy = stretches.busy.Of(place++);
    use.busy.assign(busy.begin(), busy.end());
  }
  return uses;
}

}  // namespace gordian
