// SPDX-License-Identifier: Apache-2.0
// Devices of a foreign trace are names; a session's are numbers. Gives numbers out in order of
// appearance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "schema/session.pb.h"

namespace gordian {

class DeviceNames {
 public:
  // Far more than a machine has; a trace with more is taken for a broken one.
  static constexpr size_t kMaxDevices = 4096;
  // A major number that the kernel keeps free for local use, so that these are not taken for real
  // devices.
  static constexpr uint32_t kDiskMajor = 240;

  // The disk's id (DiskId) and the interface's index.
  absl::StatusOr<uint32_t> Disk(std::string_view name);
  absl::StatusOr<uint32_t> Interface(std::string_view name);
  bool IsInterface(std::string_view name) const;

  // Adds them all to `session`.
  void Describe(pb::Session& session) const;

 private:
  absl::flat_hash_map<std::string, uint32_t> disks_;       // minor numbers from 0
  absl::flat_hash_map<std::string, uint32_t> interfaces_;  // indices from 1; 0 is "not known"
};

}  // namespace gordian
