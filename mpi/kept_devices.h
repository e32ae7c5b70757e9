// SPDX-License-Identifier: Apache-2.0
// What devices of nodes did, as units tell it. Inner to the room.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/devices/devices_of_nodes.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"
#include "store/store.h"

namespace gordian {

// The windows in which devices are counted, for all ranks to find. Its key holds its content.
// Nothing is written that is there already.
struct DeviceWindows {
  std::span<const uint64_t> borders_ns;
  std::span<const WaitInterval> disk_waits;
};
absl::StatusOr<pb::RankKey> KeepDeviceWindows(const DeviceWindows& windows,
                                              const pb::RankKey& timeline,
                                              const WorkFolder& folder);
// Of use as long as the entry.
absl::StatusOr<DeviceWindows> KeptDeviceWindowsOf(StoredEntry& entry);

// A failure is the writer's.
void KeepDevices(const CountedDevices& counted, StoreWriter& writer);
// Adds those of some nodes to those of the nodes before them. DataLoss if the entry does not check:
// then nothing was added.
absl::Status AddKeptDevices(StoredEntry& entry, DevicesOfNodes& all);

}  // namespace gordian
