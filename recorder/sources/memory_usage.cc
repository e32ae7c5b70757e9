// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/memory_usage.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

struct Meminfo {
  std::optional<uint64_t> total_bytes;
  std::optional<uint64_t> available_bytes;
  uint64_t swap_total_bytes = 0;
  uint64_t swap_free_bytes = 0;
};

Meminfo ParseMeminfo(std::string_view text) {
  constexpr uint64_t kKibibyte = 1024;
  Meminfo info;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const std::string_view title = TakeField(line);
    const std::optional<uint64_t> kib = TakeNumber(line);
    if (!kib) continue;
    if (title == "MemTotal:") info.total_bytes = *kib * kKibibyte;
    if (title == "MemAvailable:") info.available_bytes = *kib * kKibibyte;
    if (title == "SwapTotal:") info.swap_total_bytes = *kib * kKibibyte;
    if (title == "SwapFree:") {
      info.swap_free_bytes = *kib * kKibibyte;
      break;  // the last of them
    }
  }
  return info;
}

struct Vmstat {
  uint64_t searches = 0;  // for free memory: by threads that wanted some, and by kswapd
  uint64_t pages_read_again = 0;
};

Vmstat ParseVmstat(std::string_view text) {
  Vmstat stat;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const std::string_view name = TakeField(line);
    const bool is_search = name.starts_with("allocstall") || name == "pageoutrun";
    const bool is_read = name.starts_with("workingset_refault");
    if (!is_search && !is_read) continue;
    const uint64_t count = TakeNumber(line).value_or(0);
    (is_search ? stat.searches : stat.pages_read_again) += count;
  }
  return stat;
}

uint64_t InUse(uint64_t total_bytes, uint64_t free_bytes) {
  return total_bytes - std::min(total_bytes, free_bytes);
}

}  // namespace

MemoryUsage::MemoryUsage(const SystemPaths& paths)
    : meminfo_(paths.proc + "/meminfo"),
      vmstat_(paths.proc + "/vmstat"),
      memory_{pb::RESOURCE_MEMORY, "memory"},
      swap_{pb::RESOURCE_SWAP, "swap"},
      at_limit_{pb::RESOURCE_CGROUP_AT_LIMIT, "/"},
      read_again_{pb::RESOURCE_CGROUP_READ_AGAIN, "/"} {}

// The machine counts as the group of all groups. Old kernels count none of this: no sample is
// missed.
void MemoryUsage::SampleShortage(ResourceSink& sink, uint64_t& missed) {
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const std::optional<std::string_view> text = vmstat_.Read();
  if (!text) return;
  const Vmstat stat = ParseVmstat(*text);
  const auto searches = at_limit_meter_.Read(sink.now_ns(), stat.searches, missed);
  const auto read_again =
      read_again_meter_.Read(sink.now_ns(), stat.pages_read_again * page_bytes, missed);
  if (searches) sink.Add(at_limit_, *searches);
  if (read_again) sink.Add(read_again_, *read_again);
}

void MemoryUsage::Sample(ResourceSink& sink, uint64_t& missed) {
  SampleShortage(sink, missed);
  const std::optional<std::string_view> text = meminfo_.Read();
  const Meminfo info = text ? ParseMeminfo(*text) : Meminfo{};
  if (!info.total_bytes || !info.available_bytes) {
    ++missed;
    return;
  }
  const uint64_t interval_ns = sink.now_ns() - last_ns_;
  const bool first = !started_;
  started_ = true;
  last_ns_ = sink.now_ns();
  if (first) return;
  memory_.capacity = static_cast<double>(*info.total_bytes);
  sink.Add(memory_,
           {static_cast<double>(InUse(*info.total_bytes, *info.available_bytes)), interval_ns});
  if (info.swap_total_bytes == 0) return;
  swap_.capacity = static_cast<double>(info.swap_total_bytes);
  sink.Add(swap_,
           {static_cast<double>(InUse(info.swap_total_bytes, info.swap_free_bytes)), interval_ns});
}

}  // namespace gordian
