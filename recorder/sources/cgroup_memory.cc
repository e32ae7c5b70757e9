// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cgroup_memory.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "recorder/sources/cgroups.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint64_t kLookForLimitsNs = 10'000'000'000;  // for new containers; a group costs 10 µs
constexpr size_t kMostLimitedGroups = 250;
// Version 1 tells "no limit" as the largest number of pages, a little below 2^63 bytes.
constexpr uint64_t kNoLimitBytes = uint64_t{1} << 60;

// "max" is no number.
std::optional<uint64_t> LowestLimitOf(const std::string& folder, bool is_version_1) {
  uint64_t least = kNoLimitBytes;
  if (is_version_1) {
    least = ReadSmallNumber(folder + "/memory.limit_in_bytes").value_or(kNoLimitBytes);
  } else {
    for (const char* file : {"/memory.max", "/memory.high"})
      least = std::min(least, ReadSmallNumber(folder + file).value_or(kNoLimitBytes));
  }
  if (least == 0 || least >= kNoLimitBytes) return {};
  return least;
}

// The sum of the numbers with these names, in a file of lines "name number". Nothing if the file
// has none of them.
template <size_t kNames>
std::optional<uint64_t> SumOf(const std::string& path, const std::string_view (&names)[kNames]) {
  const std::optional<std::string> text = ReadSmallFile(path);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  std::optional<uint64_t> sum;
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    const std::string_view name = TakeField(line);
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) continue;
    if (const auto number = TakeNumber(line)) sum = sum.value_or(0) + *number;
  }
  return sum;
}

// memory.events of a group also counts limits of groups below; .local (Linux 5.2) does not.
template <size_t kNames>
std::optional<uint64_t> EventsOf(const std::string& folder,
                                 const std::string_view (&names)[kNames]) {
  const std::optional<uint64_t> own = SumOf(folder + "/memory.events.local", names);
  return own ? own : SumOf(folder + "/memory.events", names);
}

constexpr std::string_view kLimitEvents[] = {"high", "max"};
constexpr std::string_view kKillEvents[] = {"oom_kill"};
constexpr std::string_view kRefaults[] = {"workingset_refault", "workingset_refault_anon",
                                          "workingset_refault_file"};
constexpr std::string_view kRefaults1[] = {
    "total_workingset_refault", "total_workingset_refault_anon", "total_workingset_refault_file"};

}  // namespace

CgroupMemory::CgroupMemory(const SystemPaths& paths) {
  if (const auto mount = FindCgroup2Mount(paths)) trees_.push_back({*mount, false});
  if (const auto mount = FindCgroup1Mount(paths, "memory")) trees_.push_back({*mount, true});
}

void CgroupMemory::LookAt(const CgroupTree& tree, const std::string& path) {
  const std::string folder = tree.mount + path;
  const std::optional<uint64_t> limit_bytes = LowestLimitOf(folder, tree.is_version_1);
  if (!limit_bytes) return;
  auto found = groups_.find(folder);
  if (found == groups_.end()) {
    if (groups_.size() == kMostLimitedGroups) return;
    found = groups_.try_emplace(folder).first;
    Group& group = found->second;
    group.folder = folder;
    group.is_version_1 = tree.is_version_1;
    group.used = {.kind = pb::RESOURCE_CGROUP_MEMORY, .name = path};
    group.at_limit = {.kind = pb::RESOURCE_CGROUP_AT_LIMIT, .name = path};
    group.read_again = {.kind = pb::RESOURCE_CGROUP_READ_AGAIN, .name = path};
    group.killed = {.kind = pb::RESOURCE_CGROUP_OUT_OF_MEMORY, .name = path};
  }
  found->second.round = round_;
  found->second.used.capacity = static_cast<double>(*limit_bytes);
}

void CgroupMemory::LookForGroups() {
  ++round_;
  for (const CgroupTree& tree : trees_)
    ForEachCgroup(tree, [&](const std::string& path) { LookAt(tree, path); });
  std::erase_if(groups_, [this](const auto& entry) { return entry.second.round != round_; });
}

void CgroupMemory::Sample(ResourceSink& sink, uint64_t& missed) {
  if (round_ == 0 || sink.now_ns() - looked_ns_ >= kLookForLimitsNs) {
    looked_ns_ = sink.now_ns();
    LookForGroups();
  }
  for (auto& [folder, group] : groups_) SampleGroup(group, sink, missed);
}

void CgroupMemory::SampleGroup(Group& group, ResourceSink& sink, uint64_t& missed) {
  const std::optional<uint64_t> used_bytes = ReadSmallNumber(
      group.folder + (group.is_version_1 ? "/memory.usage_in_bytes" : "/memory.current"));
  const std::optional<uint64_t> times = group.is_version_1
                                            ? ReadSmallNumber(group.folder + "/memory.failcnt")
                                            : EventsOf(group.folder, kLimitEvents);
  if (!used_bytes || !times) return;  // it ended; the next look finds that out
  const bool is_first = !group.started;
  const bool was_met = *times != group.times;
  const uint64_t interval_ns = sink.now_ns() - group.last_ns;
  group.started = true;
  group.last_ns = sink.now_ns();
  group.times = *times;
  if (is_first || was_met) {
    group.at_limit.pids = PidsOfCgroup(group.folder);
    SampleHarm(group, sink, missed);
  }
  const auto reading = group.at_limit_meter.Read(sink.now_ns(), *times, missed);
  if (is_first) return;
  sink.Add(group.used, {static_cast<double>(*used_bytes), interval_ns});
  if (reading) sink.Add(group.at_limit, *reading);
}

// Its interval may begin several samples ago: meanwhile the limit was not met, and nothing dropped.
void CgroupMemory::SampleHarm(Group& group, ResourceSink& sink, uint64_t& missed) {
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const std::string stat = group.folder + "/memory.stat";
  const auto refaults = group.is_version_1 ? SumOf(stat, kRefaults1) : SumOf(stat, kRefaults);
  if (refaults) {
    const auto reading = group.read_again_meter.Read(sink.now_ns(), *refaults * page_bytes, missed);
    if (reading) sink.Add(group.read_again, *reading);
  }
  const auto kills = group.is_version_1 ? SumOf(group.folder + "/memory.oom_control", kKillEvents)
                                        : EventsOf(group.folder, kKillEvents);
  if (kills) {
    const auto reading = group.killed_meter.Read(sink.now_ns(), *kills, missed);
    if (reading) sink.Add(group.killed, *reading);
  }
}

}  // namespace gordian
