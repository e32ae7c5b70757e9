// SPDX-License-Identifier: Apache-2.0
#include "import/device_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

using Table = absl::flat_hash_map<std::string, uint32_t>;

// The number of `name` in `table`, counted from `first`.
absl::StatusOr<uint32_t> NumberOf(Table& table, std::string_view name, uint32_t first) {
  if (const auto found = table.find(absl::string_view(name.data(), name.size()));
      found != table.end()) {
    return found->second;
  }
  if (name.empty()) return absl::InvalidArgumentError("the device has no name");
  if (table.size() >= DeviceNames::kMaxDevices) {
    return absl::InvalidArgumentError(fmt::format(
        "more than {} devices: is the device in the right column?", DeviceNames::kMaxDevices));
  }
  const uint32_t number = first + static_cast<uint32_t>(table.size());
  table.emplace(std::string(name), number);
  return number;
}

std::vector<std::pair<uint32_t, std::string>> InOrder(const Table& table) {
  std::vector<std::pair<uint32_t, std::string>> order;
  for (const auto& [name, number] : table) order.emplace_back(number, name);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

absl::StatusOr<uint32_t> DeviceNames::Disk(std::string_view name) {
  const absl::StatusOr<uint32_t> minor = NumberOf(disks_, name, 0);
  if (!minor.ok()) return minor.status();
  return DiskId(kDiskMajor, *minor);
}

absl::StatusOr<uint32_t> DeviceNames::Interface(std::string_view name) {
  return NumberOf(interfaces_, name, 1);
}

bool DeviceNames::IsInterface(std::string_view name) const {
  return interfaces_.contains(absl::string_view(name.data(), name.size()));
}

void DeviceNames::Describe(pb::Session& session) const {
  for (const auto& [minor, name] : InOrder(disks_)) {
    pb::Disk& disk = *session.add_disks();
    disk.set_device(DiskId(kDiskMajor, minor));
    disk.set_name(name);
  }
  for (const auto& [index, name] : InOrder(interfaces_)) {
    pb::Interface& interface = *session.add_interfaces();
    interface.set_index(index);
    interface.set_name(name);
    interface.set_loopback(name == "lo");
  }
}

}  // namespace gordian
