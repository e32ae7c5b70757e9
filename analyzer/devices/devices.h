// SPDX-License-Identifier: Apache-2.0
// How busy disks and interfaces were, and which threads they waited for while they were idle.
//
// Disks. A disk is busy while any request is in flight, exactly: from its issue to its completion.
// A completion tells its service time, so its issue is known even where that record was lost;
// without one it is matched by sector. A request that was under way when the recording began is in
// flight from then on. A request that had not completed when the recording ended is in flight until
// then.
//
// Records go missing: completions in holes of a CPU, requests that end past the tracepoint. So the
// absence of a completion proves nothing. A request without one is in flight until it must have
// been done: until the thread that waited for it goes on, its sector is asked for again, the next
// completion if a request issued later has completed, or ten times the longest service seen. A
// completion without an issue is of a request as long as the longest one seen. Both are counted.
//
// Interfaces. An interface of known speed is busy for as long as its bytes take at that speed, in
// the busier direction; the rest of the time it is idle. An interface of unknown speed, and
// loopback, count as always idle and never as the limit: nothing tells when they are full.
//
// Idle edges. An idle device waits for work. The idle time of a disk is shared among the threads
// whose requests ended its idle stretches, by how long these were: a thread that wrote a large file
// once at the start has hardly a part in it. That of an interface is shared among the threads that
// sent packets (no softirqs) by their bytes, each packet as at least kLeastBytes. A disk whose
// idle time no request ended, and an interface that sent nothing, wait for no thread. Otherwise the
// shares of a device add up to its idle time to the nanosecond. `count` of an idle edge
// is the number of idle stretches that this thread ended (of an interface: its packets),
// `longest_ns` the longest of them (of an interface: all of its share), at most the share.
//
// These edges are not cascaded: their weight is their own time (see analyzer/cascade).
//
// Ranges and windows. When a disk was busy depends on all its requests, so that is found once for
// the recording: 16 bytes for each of its stretches. What devices did adds up over windows. Idle
// time belongs to the window in which it ends; an idle stretch that begins before its window
// stands apart, so that any range clips it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/row_groups.h"
#include "analyzer/timeline/column.h"
#include "analyzer/timeline/column_groups.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"

namespace gordian {

struct Stretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  bool operator==(const Stretch&) const = default;
};

struct DeviceUse {
  EntityId device = kNobody;
  std::vector<Stretch> busy;  // disks: in order, not touching
  uint64_t busy_ns = 0;       // within the range asked for
  uint64_t several_ns = 0;    // disks: several requests in flight, or several threads waiting
  uint64_t bytes = 0;         // disks: issued. interfaces: sent and received
  uint64_t operations = 0;    // requests issued, packets
  std::vector<Edge> idle_edges;
  uint64_t requests_without_end = 0;
};

// Of every disk and interface, in order of id. Only time within [from_ns, to_ns) counts.
std::vector<DeviceUse> UseOfDevices(const Waits& waits, uint64_t from_ns, uint64_t to_ns);

// When disks were busy; stretches of each are in order and do not touch.
struct DiskStretchesView {
  std::span<const EntityId> disks;  // in order
  RowGroupsView<Stretch> busy;      // by disk
  RowGroupsView<Stretch> several;
  std::span<const uint64_t> requests_without_end;
};

// There may be as many as there are requests.
using StretchesOfDisks = ColumnGroups<Stretch>;

struct DiskStretches {
  DiskStretches() = default;
  // The stretches will lie there.
  explicit DiskStretches(const ColumnMemory& memory) : busy(memory), several(memory) {}
  DiskStretchesView view() const {
    return {disks, busy.view(), several.view(), requests_without_end};
  }

  std::vector<EntityId> disks;
  StretchesOfDisks busy;
  StretchesOfDisks several;
  std::vector<uint64_t> requests_without_end;
};

// What devices of some nodes did: of all nodes, or of one.
struct DeviceRecords {
  std::span<const BlockRecord> requests;          // in order of time
  std::span<const Column<PacketRecord>> packets;  // by node, each in order of time
  uint32_t first_node = 0;                        // whose packets come first
};
DeviceRecords DeviceRecordsOf(const Timeline& timeline);

// A device within a window.
struct DeviceSum {
  EntityId device = kNobody;
  uint32_t unused = 0;
  uint64_t busy_ns = 0;  // disks
  uint64_t several_ns = 0;
  uint64_t bytes = 0;           // disks: issued; interfaces: sent
  uint64_t received_bytes = 0;  // interfaces
  uint64_t operations = 0;
  bool operator==(const DeviceSum&) const = default;
};

// What a thread gave a device to do within a window (see Work in idle_shares.h).
struct WorkSum {
  EntityId device = kNobody;
  EntityId thread = kNobody;
  uint64_t given = 0;
  uint64_t count = 0;
  uint64_t longest_ns = 0;  // disks
  bool operator==(const WorkSum&) const = default;
};

// An idle stretch that this thread ended within the window, and that began before it.
struct EndedIdle {
  EntityId device = kNobody;
  EntityId thread = kNobody;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  bool operator==(const EndedIdle&) const = default;
};

struct DeviceWindow {
  std::vector<DeviceSum> devices;     // in order; those that did nothing are left out
  std::vector<WorkSum> work;          // by (device, thread); without the idle stretches below
  std::vector<EndedIdle> ended_idle;  // by device, which has one at most
};

// What to count: of which disks and interfaces, in order (none: of all), what records tell in the
// windows between borders. `disk_waits` are those of single threads for these disks, in any order,
// each once; `several` is right as far as they reach.
struct DeviceQuestion {
  std::optional<std::span<const EntityId>> devices;
  DeviceRecords records;
  std::span<const uint64_t> borders_ns;
  std::span<const WaitInterval> disk_waits;
  ColumnMemory memory;  // where stretches lie
};

// Sums up windows.
class DeviceCounter {
 public:
  // All must outlive it.
  DeviceCounter(const Waits& waits, const DiskStretchesView& stretches);
  DeviceCounter(const Waits& waits, const DiskStretchesView& stretches,
                const DeviceQuestion& question);

  // What devices did within [from_ns, to_ns). Thread-safe. Costs what happened then, and for each
  // disk a search.
  DeviceWindow Count(uint64_t from_ns, uint64_t to_ns) const;

 private:
  class Window;
  const Waits& waits_;
  const DiskStretchesView& stretches_;
  const DeviceRecords records_;
  std::map<std::pair<uint32_t, uint32_t>, EntityId> interfaces_;  // by node and index
  std::map<uint32_t, size_t> place_of_disk_;                      // in stretches, by device number
};

// What devices did in windows side by side.
struct CountedDevices {
  DiskStretches disks;
  RowGroups<DeviceSum> devices;  // by window, as all that follows
  RowGroups<WorkSum> work;
  RowGroups<EndedIdle> ended_idle;
};

CountedDevices CountDevices(const Waits& waits, const DeviceQuestion& question, int threads);

// Adds up windows to the use of a range.
class DeviceTotals {
 public:
  DeviceTotals(uint64_t from_ns, uint64_t to_ns) : from_ns_(from_ns), to_ns_(to_ns) {}

  void Add(std::span<const DeviceSum> devices, std::span<const WorkSum> work,
           std::span<const EndedIdle> ended_idle);

  // As UseOfDevices, but without the stretches `busy`.
  std::vector<DeviceUse> Uses(const Timeline& timeline, const DiskStretchesView& stretches) const;

 private:
  uint64_t from_ns_;
  uint64_t to_ns_;
  std::map<EntityId, DeviceSum> devices_;
  std::map<std::pair<EntityId, EntityId>, WorkSum> work_;
};

}  // namespace gordian
