// SPDX-License-Identifier: Apache-2.0
// The bytes that each whole disk read and wrote, its operations, and how long it had requests in
// flight, from /proc/diskstats.
//
// Left out: partitions (their disk has them) and disks without a size (unused loop and ram
// devices). A device's kind is asked from /sys once; for a device without a size again only when
// its counters have moved.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "recorder/sources/file_text.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class DiskUsage {
 public:
  explicit DiskUsage(SystemPaths paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Counts {
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t operations = 0;
    uint32_t busy_ms = 0;  // the kernel's counter has 32 bits
  };
  struct Disk {
    bool followed = false;
    uint64_t round = 0;  // the last one it was seen in
    Counts last;
    uint64_t busy_ns = 0;  // busy_ms carried on past its wrap
    SampledResource read;
    SampledResource write;
    SampledResource operations;
    SampledResource busy;
    RateMeter read_meter;
    RateMeter write_meter;
    RateMeter operations_meter;
    TimeShareMeter busy_meter;
  };
  static bool ParseLine(std::string_view line, std::string_view& name, Counts& counts);
  static Disk NewDisk(std::string_view name);
  bool HasSize(std::string_view name) const;
  void SampleDisk(Disk& disk, const Counts& counts, ResourceSink& sink, uint64_t& missed);

  SystemPaths paths_;
  RereadFile diskstats_;
  uint64_t round_ = 0;
  std::map<std::string, Disk, std::less<>> disks_;
};

}  // namespace gordian
