// SPDX-License-Identifier: Apache-2.0
// Devices that were counted node by node, put together.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/devices/devices.h"

namespace gordian {

// Puts nodes' devices behind each other, in order of nodes. All have the same windows.
class DevicesOfNodes {
 public:
  // Stretches of disks will lie there.
  explicit DevicesOfNodes(const ColumnMemory& memory) : disks_(memory) {}

  void Add(CountedDevices node);
  CountedDevices Take();

 private:
  // Of some nodes that follow each other.
  struct Run {
    size_t nodes = 0;
    RowGroups<DeviceSum> devices;
    RowGroups<WorkSum> work;
    RowGroups<EndedIdle> ended_idle;
  };
  void JoinLastRuns();

  DiskStretches disks_;
  // Each has more nodes than the next. So each row is moved as often as the number of nodes can be
  // halved, and not for each node that follows.
  std::vector<Run> runs_;
};

}  // namespace gordian
