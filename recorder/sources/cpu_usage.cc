// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cpu_usage.h"

#include <unistd.h>

#include <string_view>

#include "base/time_units.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint32_t kMostCpus = 8192;  // the kernel's own limit

struct CpuLine {
  uint32_t number = 0;
  uint64_t idle_ticks = 0;  // iowait included
};

// "cpu3 user nice system idle iowait …": nothing for the line of all CPUs and for lines that do not
// parse.
std::optional<CpuLine> ParseCpuLine(std::string_view line) {
  std::string_view name = TakeField(line);
  name.remove_prefix(3);
  const std::optional<uint32_t> number = ParseNumber<uint32_t>(name);
  if (!number || *number >= kMostCpus) return {};
  for (int busy_column = 0; busy_column < 3; ++busy_column) TakeField(line);
  const std::optional<uint64_t> idle = TakeNumber(line);
  const std::optional<uint64_t> iowait = TakeNumber(line);
  if (!idle || !iowait) return {};
  return CpuLine{*number, *idle + *iowait};
}

}  // namespace

CpuUsage::CpuUsage(const SystemPaths& paths)
    : stat_(paths.proc + "/stat"), tick_ns_(kNsPerSecond / sysconf(_SC_CLK_TCK)) {}

CpuUsage::Cpu& CpuUsage::CpuAt(uint32_t number) {
  // Idle and iowait are rounded each for itself: together they may be two ticks behind.
  while (cpus_.size() <= number) {
    const std::string name = "cpu" + std::to_string(cpus_.size());
    cpus_.push_back({{pb::RESOURCE_CPU, name, kNsPerSecond}, TimeShareMeter(2 * tick_ns_)});
  }
  return cpus_[number];
}

void CpuUsage::Sample(ResourceSink& sink, uint64_t& missed) {
  std::optional<std::string_view> text = stat_.Read();
  if (!text || !text->starts_with("cpu")) {
    ++missed;
    return;
  }
  std::vector<bool> seen(cpus_.size());
  while (text->starts_with("cpu")) {
    const std::string_view text_line = TakeLine(*text);
    const bool all_cpus = text_line.starts_with("cpu ");
    const std::optional<CpuLine> line = all_cpus ? std::nullopt : ParseCpuLine(text_line);
    if (!line) {
      missed += all_cpus ? 0 : 1;
      continue;
    }
    Cpu& cpu = CpuAt(line->number);
    // One that was switched off idles from zero or from where it stood: begin anew.
    if (!cpu.present) cpu.idle = TimeShareMeter(2 * tick_ns_);
    cpu.present = true;
    if (line->number < seen.size()) seen[line->number] = true;
    std::optional<MeterReading> idle =
        cpu.idle.Read(sink.now_ns(), line->idle_ticks * tick_ns_, missed);
    if (idle) sink.Add(cpu.resource, {kNsPerSecond - idle->per_second, idle->interval_ns});
  }
  for (size_t number = 0; number < seen.size(); ++number) {
    if (!seen[number]) cpus_[number].present = false;
  }
}

}  // namespace gordian
