#include "recorder/sources/memory_usage.h"

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

uint64_t InUse(uint64_t total_bytes, uint64_t free_bytes) {
  return total_bytes - std::min(total_bytes, free_bytes);
}

}  // namespace

MemoryUsage::MemoryUsage(const SystemPaths& paths)
    : meminfo_(paths.proc + "/meminfo"),
      memory_{pb::RESOURCE_MEMORY, "memory"},
      swap_{pb::RESOURCE_SWAP, "swap"} {}

void MemoryUsage::Sample(ResourceSink& sink, uint64_t& missed) {
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
