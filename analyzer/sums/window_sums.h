// SPDX-License-Identifier: Apache-2.0
// What the wait-for graph of any range is made of, by windows of time, from one sweep over a
// recording: edges (analyzer/cascade), how threads spent their time (Ledger in analyzer/waits), and
// what devices did (analyzer/devices).
//
// Sums of windows add up exactly, to the nanosecond and count. So the graph of a range is the sum
// of the windows inside of it, and of what is swept anew at its two ends (GraphOver in
// analyzer/graph): it costs the windows of the range, and at most two more.
//
// Usage:
//   const WindowSums sums(waits, {});
//   WaitForGraph graph = GraphOver(waits, sums.view(), {.from_ns = …, .to_ns = …});
//
// Memory. Only what is not zero has a row: an edge in a window with waits on it, a thread in a
// window in which its state changed. Windows begin as those of the sweep, 100,000 events or more.
// Whenever their rows exceed a byte for each event so far and 64 for each entity, each two
// neighbours become one window (joined_windows.h). This ends at the latest with one window, or with
// those between kept borders; then the rows are about as many as the edges of the whole graph.
// Besides there are a disk's stretches (16 bytes each), and a row for each device, and each thread
// that gave it work, by window.
//
// All is plain columns, to be written to a file and mapped from it. A view is all that queries
// need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "analyzer/cascade/cascade.h"
#include "analyzer/devices/devices.h"
#include "analyzer/model/row_groups.h"
#include "analyzer/timeline/column_groups.h"
#include "analyzer/waits/waits.h"

namespace gordian {

struct WindowSumsView {
  // Window i lasts from border i to border i + 1. Without windows: none, or one.
  std::span<const uint64_t> borders_ns;
  // By window; each window's rows in the order that its part says (cascade.h, waits.h, devices.h).
  RowGroupsView<EdgeSum> edges;
  RowGroupsView<WaitInterval> straddlers;
  std::span<const uint64_t> cyclic_links;
  RowGroupsView<Ledger> ledgers;
  RowGroupsView<DeviceSum> devices;
  RowGroupsView<WorkSum> work;
  RowGroupsView<EndedIdle> ended_idle;
  // Of the whole recording; of waits for disks those that overlap the windows.
  DiskStretchesView disks;

  size_t windows() const { return cyclic_links.size(); }
};

struct WindowSumOptions {
  uint64_t from_ns = 0;  // the windows cover [from_ns, to_ns), clipped to the recording
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
  // Windows end there, in order: a range between two of them is a sum of windows.
  std::vector<uint64_t> kept_borders_ns;
  double bytes_per_event = 1;  // see above
  int threads = 0;             // 0: as many as there are CPUs
};

// Windows that were swept, without what devices did: of a part of a recording, to be put together
// with the parts beside it. What it is made of depends on how the recording was cut, and all that
// is asked of the whole does not.
struct SweptWindows {
  SweptWindows() = default;
  // The rows will lie there.
  explicit SweptWindows(const ColumnMemory& memory)
      : edges(memory), straddlers(memory), ledgers(memory) {}

  std::vector<uint64_t> borders_ns;
  ColumnGroups<EdgeSum> edges;
  ColumnGroups<WaitInterval> straddlers;
  std::vector<uint64_t> cyclic_links;
  ColumnGroups<Ledger> ledgers;
  std::vector<WaitInterval> disk_waits;  // each in the part in which it begins, or in the first
};

// Of a sweep that `options` ask for: the windows of [from_ns, to_ns) in it. Both are among its
// kept borders, or its ends.
SweptWindows SweepPart(const Waits& waits, const WindowSumOptions& options, uint64_t from_ns,
                       uint64_t to_ns, const std::function<void(double share)>& progress = {});

class WindowSums {
 public:
  WindowSums() = default;  // no windows
  // Of windows in which devices were counted elsewhere.
  WindowSums(SweptWindows windows, CountedDevices devices);
  // Called now and then with the share that is done, from the calling thread; may be empty.
  using Progress = std::function<void(double share)>;
  WindowSums(const Waits& waits, const WindowSumOptions& options, const Progress& progress = {});

  WindowSumsView view() const;
  // Of rows of windows: edges, straddlers and ledgers.
  uint64_t bytes() const;

 private:
  SweptWindows windows_;
  CountedDevices devices_;
};

// Where to cut a sweep over [from_ns, to_ns) into windows, both ends included. A window begins with
// all waits that go on across its border: with many threads windows must be long enough that this
// is little of their work.
std::vector<uint64_t> SweepBorders(const Waits& waits, uint64_t from_ns, uint64_t to_ns);

}  // namespace gordian
