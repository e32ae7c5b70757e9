// SPDX-License-Identifier: Apache-2.0
// Capacities that the kernel does not tell, and only people know: virtual interfaces and disks are
// as fast as what is behind them, or as what was paid for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "trace/resource_readings.h"

namespace gordian {

struct LinkSpeed {
  std::string interface;
  uint64_t bits_per_second = 0;
};

// "eth0=1G", "eth0=2.5Gbit/s", "veth1=100M". Units are powers of 1000, as for links everywhere.
absl::StatusOr<LinkSpeed> ParseLinkSpeed(std::string_view text);

struct DiskCapacity {
  std::string disk;
  ToldCapacities::Disk capacity;
};

// "nvme0n1=500MB/s,20kIOPS", in any order, either alone: bytes and operations per second, read and
// written together. Units are powers of 1000, or of 1024 with an i (MiB/s).
absl::StatusOr<DiskCapacity> ParseDiskCapacity(std::string_view text);

// The texts of --link and --disk, as a person gave them.
struct CapacityOptions {
  std::vector<std::string> links;
  std::vector<std::string> disks;
};

// Adds those of a file. A line: "link eth0=1G", "disk nvme0n1=20kIOPS"; # begins a comment.
absl::Status ReadCapacityFile(const std::string& path, CapacityOptions& options);

absl::StatusOr<ToldCapacities> ParseCapacities(const CapacityOptions& options);

// Of links, on every node that has an interface of that name. NotFound, with the names that there
// are, if no node has that interface, or that disk.
absl::Status SetCapacities(const CapacityOptions& options, Timeline& timeline);

}  // namespace gordian
