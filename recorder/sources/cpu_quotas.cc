// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cpu_quotas.h"

#include <optional>
#include <string_view>

#include "base/time_units.h"
#include "recorder/sources/cgroups.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint64_t kLookAgainNs = 10'000'000'000;  // for new containers; a group costs 20 µs
constexpr uint64_t kPidsAgeNs = 1'000'000'000;
constexpr size_t kMostGroups = 1'000;

// In CPUs; nothing without a quota, which is "max" in version 2 and -1 in version 1.
std::optional<double> QuotaOf(const std::string& folder, bool is_version_1) {
  std::optional<std::string> text =
      ReadSmallFile(folder + (is_version_1 ? "/cpu.cfs_quota_us" : "/cpu.max"));
  if (!text) return {};
  std::string_view fields = *text;
  const std::optional<uint64_t> quota_us = TakeNumber(fields);
  if (!quota_us) return {};
  if (is_version_1) {
    text = ReadSmallFile(folder + "/cpu.cfs_period_us");
    if (!text) return {};
    fields = *text;
  }
  const std::optional<uint64_t> period_us = TakeNumber(fields);
  if (!period_us || *period_us == 0) return {};
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

// Version 2 tells microseconds, version 1 nanoseconds.
std::optional<uint64_t> ThrottledNs(std::string_view stat) {
  while (!stat.empty()) {
    std::string_view line = TakeLine(stat);
    const std::string_view name = TakeField(line);
    if (name != "throttled_usec" && name != "throttled_time") continue;
    const std::optional<uint64_t> value = TakeNumber(line);
    if (!value) return {};
    return name == "throttled_usec" ? *value * 1'000 : *value;
  }
  return {};
}

}  // namespace

CpuQuotas::CpuQuotas(const SystemPaths& paths) {
  if (const auto mount = FindCgroup2Mount(paths)) trees_.push_back({*mount, false});
  if (const auto mount = FindCgroup1Mount(paths, "cpu")) trees_.push_back({*mount, true});
}

void CpuQuotas::LookAt(const CgroupTree& tree, const std::string& path) {
  const std::string folder = tree.mount + path;
  const std::optional<double> cpus = QuotaOf(folder, tree.is_version_1);
  if (!cpus) return;
  auto found = groups_.find(folder);
  if (found == groups_.end()) {
    if (groups_.size() == kMostGroups) return;
    found = groups_.try_emplace(folder, folder).first;
    found->second.throttled = {.kind = pb::RESOURCE_CPU_THROTTLED, .name = path};
  }
  found->second.round = round_;
  found->second.throttled.capacity = *cpus * kNsPerSecond;
}

void CpuQuotas::LookForGroups() {
  ++round_;
  for (const CgroupTree& tree : trees_)
    ForEachCgroup(tree, [&](const std::string& path) { LookAt(tree, path); });
  std::erase_if(groups_, [this](const auto& entry) { return entry.second.round != round_; });
}

void CpuQuotas::Sample(ResourceSink& sink, uint64_t& missed) {
  if (round_ == 0 || sink.now_ns() - looked_ns_ >= kLookAgainNs) {
    looked_ns_ = sink.now_ns();
    LookForGroups();
  }
  for (auto& [folder, group] : groups_) {
    const std::optional<std::string_view> text = group.stat.Read();
    if (!text) continue;  // it ended; the next look finds that out
    const std::optional<uint64_t> throttled_ns = ThrottledNs(*text);
    if (!throttled_ns) {
      ++missed;
      continue;
    }
    const auto reading = group.meter.Read(sink.now_ns(), *throttled_ns, missed);
    if (!reading) continue;
    const bool is_old = group.pids_ns == 0 || sink.now_ns() - group.pids_ns >= kPidsAgeNs;
    if (reading->per_second > 0 && is_old) {
      group.pids_ns = sink.now_ns();
      group.throttled.pids = PidsOfCgroup(folder);
    }
    sink.Add(group.throttled, *reading);
  }
}

}  // namespace gordian
