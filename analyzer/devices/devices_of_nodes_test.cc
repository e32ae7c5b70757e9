// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/devices_of_nodes.h"

#include <gtest/gtest.h>

#include <vector>

namespace gordian {
namespace {

constexpr size_t kWindows = 3;

// A device that was busy for `node` ns in each window but the second, and an interface's work.
CountedDevices DevicesOf(EntityId node) {
  CountedDevices counted;
  counted.disks.disks = {node};
  counted.disks.requests_without_end = {node};
  const std::vector<Stretch> busy = {{node, node + 1}};
  counted.disks.busy.Add(busy);
  counted.disks.several.Add({});
  for (size_t window = 0; window < kWindows; ++window) {
    std::vector<DeviceSum> devices;
    if (window != 1) devices.push_back({.device = node, .busy_ns = node});
    counted.devices.Add(devices);
    const std::vector<WorkSum> work = {{.device = node, .thread = 1, .given = window},
                                       {.device = node, .thread = 2, .given = window}};
    counted.work.Add(work);
    counted.ended_idle.Add({});
  }
  return counted;
}

TEST(DevicesOfNodes, StandInOrderOfNodesInEachWindow) {
  for (EntityId nodes = 1; nodes <= 9; ++nodes) {
    DevicesOfNodes of_nodes{ColumnMemory()};
    for (EntityId node = 0; node < nodes; ++node) of_nodes.Add(DevicesOf(node));
    const CountedDevices all = of_nodes.Take();
    const DiskStretchesView disks = all.disks.view();
    ASSERT_EQ(disks.disks.size(), nodes);
    ASSERT_EQ(all.devices.view().groups(), kWindows);
    for (EntityId node = 0; node < nodes; ++node) {
      EXPECT_EQ(disks.disks[node], node);
      EXPECT_EQ(disks.requests_without_end[node], node);
      EXPECT_EQ(disks.busy.Of(node).front().from_ns, node);
      for (size_t window = 0; window < kWindows; ++window) {
        const auto devices = all.devices.view().Of(window);
        const auto work = all.work.view().Of(window);
        ASSERT_EQ(devices.size(), window == 1 ? 0 : nodes);
        ASSERT_EQ(work.size(), 2 * nodes);
        if (window != 1) {
          EXPECT_EQ(devices[node].busy_ns, node);
        }
        EXPECT_EQ(work[2 * node].device, node);
        EXPECT_EQ(work[2 * node + 1].thread, 2u);
        EXPECT_EQ(work[2 * node + 1].given, window);
      }
    }
  }
}

TEST(DevicesOfNodes, MayBeNone) {
  EXPECT_EQ(DevicesOfNodes{ColumnMemory()}.Take().devices.view().groups(), 0u);
}

}  // namespace
}  // namespace gordian
