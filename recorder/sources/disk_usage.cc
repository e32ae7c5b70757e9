// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/disk_usage.h"

#include <algorithm>
#include <utility>

#include "base/time_units.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint64_t kSectorBytes = 512;  // of the kernel's counters, even if the disk's own differ
// The busy counter moves with the kernel's timer tick, which is 10 ms at its slowest.
constexpr uint64_t kBusyStepNs = 10 * kNsPerMs;

std::string SysBlockName(std::string_view name) {
  std::string path_name(name);
  std::replace(path_name.begin(), path_name.end(), '/', '!');  // "cciss/c0d0"
  return path_name;
}

}  // namespace

DiskUsage::DiskUsage(SystemPaths paths)
    : paths_(std::move(paths)), diskstats_(paths_.proc + "/diskstats") {}

// "major minor name reads merged sectors ms writes merged sectors ms in_flight busy_ms …"
bool DiskUsage::ParseLine(std::string_view line, std::string_view& name, Counts& counts) {
  TakeField(line);
  TakeField(line);
  name = TakeField(line);
  uint64_t columns[10];
  for (uint64_t& column : columns) {
    const std::optional<uint64_t> number = TakeNumber(line);
    if (!number) return false;
    column = *number;
  }
  counts.read_bytes = columns[2] * kSectorBytes;
  counts.write_bytes = columns[6] * kSectorBytes;
  counts.operations = columns[0] + columns[4];
  counts.busy_ms = static_cast<uint32_t>(columns[9]);
  return true;
}

DiskUsage::Disk DiskUsage::NewDisk(std::string_view name) {
  const std::string text(name);
  return {.read = {pb::RESOURCE_DISK_READ, text, 0},
          .write = {pb::RESOURCE_DISK_WRITE, text, 0},
          .operations = {pb::RESOURCE_DISK_OPERATIONS, text, 0},
          .busy = {pb::RESOURCE_DISK_BUSY, text, kNsPerSecond},
          .busy_meter = TimeShareMeter(kBusyStepNs)};
}

// Partitions have no folder of their own right below block/.
bool DiskUsage::HasSize(std::string_view name) const {
  const std::optional<std::string> size =
      ReadSmallFile(paths_.sys + "/block/" + SysBlockName(name) + "/size");
  return size && ParseNumber(*size).value_or(0) > 0;
}

void DiskUsage::Sample(ResourceSink& sink, uint64_t& missed) {
  std::optional<std::string_view> text = diskstats_.Read();
  if (!text) {
    ++missed;
    return;
  }
  ++round_;
  while (!text->empty()) {
    std::string_view name;
    Counts counts;
    if (!ParseLine(TakeLine(*text), name, counts)) {
      ++missed;
      continue;
    }
    auto found = disks_.find(name);
    const bool is_new = found == disks_.end();
    if (is_new) found = disks_.emplace(name, NewDisk(name)).first;
    Disk& disk = found->second;
    disk.round = round_;
    const bool moved = counts.read_bytes != disk.last.read_bytes ||
                       counts.write_bytes != disk.last.write_bytes ||
                       counts.busy_ms != disk.last.busy_ms;
    if (!disk.followed && (is_new || moved)) disk.followed = HasSize(name);
    if (disk.followed) SampleDisk(disk, counts, sink, missed);
    disk.last = counts;
  }
  // A device that is gone is forgotten: another may come under its name.
  std::erase_if(disks_, [this](const auto& entry) { return entry.second.round != round_; });
}

void DiskUsage::SampleDisk(Disk& disk, const Counts& counts, ResourceSink& sink, uint64_t& missed) {
  // The subtraction is right across the wrap of 32 bits; a step back looks like a leap of weeks,
  // which the meter refuses.
  disk.busy_ns += uint64_t{counts.busy_ms - disk.last.busy_ms} * kNsPerMs;
  const auto read = disk.read_meter.Read(sink.now_ns(), counts.read_bytes, missed);
  const auto write = disk.write_meter.Read(sink.now_ns(), counts.write_bytes, missed);
  const auto operations = disk.operations_meter.Read(sink.now_ns(), counts.operations, missed);
  const auto busy = disk.busy_meter.Read(sink.now_ns(), disk.busy_ns, missed);
  if (read) sink.Add(disk.read, *read);
  if (write) sink.Add(disk.write, *write);
  if (operations) sink.Add(disk.operations, *operations);
  if (busy) sink.Add(disk.busy, *busy);
}

}  // namespace gordian
