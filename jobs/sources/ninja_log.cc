// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/ninja_log.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/time_units.h"
#include "jobs/sources/use_sweep.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

// Builds last no longer: larger numbers are damage, and would not fit in nanoseconds.
constexpr uint64_t kLongestMs = 1'000'000'000'000;

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number)) return {};
  return number;
}

// Stamps are nanoseconds since 1970; until ninja 1.9 they were seconds. On Windows they are tenths
// of a microsecond since (nearly) 2001. What is none of these, or far from any build's time, says
// nothing.
uint64_t StampNs(uint64_t stamp) {
  constexpr uint64_t kNsPerYear = 365ull * 24 * 3600 * kNsPerSecond;
  constexpr uint64_t kWindowsBeginsNs = 978'296'800 * kNsPerSecond;
  uint64_t stamp_ns = stamp;
  if (stamp < 1ull << 33) {
    stamp_ns = stamp * kNsPerSecond;
  } else if (stamp > 1'000'000'000'000'000 && stamp < 50'000'000'000'000'000) {
    stamp_ns = kWindowsBeginsNs + stamp * 100;
  }
  return stamp_ns > 20 * kNsPerYear && stamp_ns < 200 * kNsPerYear ? stamp_ns : 0;
}

// The median, and how far the middle half lies apart.
std::pair<uint64_t, uint64_t> MedianAndSpread(std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  return {values[count / 2], values[count * 3 / 4] - values[count / 4]};
}

}  // namespace

// Five columns between tabs. Lines of one command with several outputs follow each other: the first
// counts.
bool NinjaLog::TakeLine(std::string_view line, uint64_t number) {
  std::array<std::string_view, 5> columns;
  for (std::string_view& column : columns) {
    const size_t tab = std::min(line.find('\t'), line.size());
    column = line.substr(0, tab);
    line.remove_prefix(std::min(tab + 1, line.size()));
  }
  const auto start = Number(columns[0]), end = Number(columns[1]), stamp = Number(columns[2]);
  if (!start || !end || *start > *end || *end > kLongestMs || columns[3].empty()) return false;
  uint64_t hash = 0;
  if (!absl::SimpleHexAtoi(absl::string_view(columns[4].data(), columns[4].size()), &hash))
    return false;
  if (!commands_.empty()) {
    const Command& before = commands_.back();
    if (before.start_ms == *start && before.end_ms == *end && before.hash == hash) return true;
    if (*end < before.end_ms) commands_.clear();
  }
  if (commands_.size() >= PhaseCollector::kMaxPhases) {
    sinks_.tally.Count("phases_over_limit");
    return true;
  }
  commands_.push_back(
      {*start, *end, stamp ? StampNs(*stamp) : 0, hash, number, std::string(columns[3])});
  return true;
}

uint64_t NinjaLog::FindOriginNs() {
  std::vector<uint64_t> by_start, by_end;
  for (const Command& command : commands_) {
    if (command.stamp_ns == 0 || command.stamp_ns < command.end_ms * kNsPerMs) continue;
    by_start.push_back(command.stamp_ns - command.start_ms * kNsPerMs);
    by_end.push_back(command.stamp_ns - command.end_ms * kNsPerMs);
  }
  if (by_start.empty()) {
    sinks_.tally.Count("ninja_log_without_clock");
    return 0;
  }
  const auto [start_origin_ns, start_spread_ns] = MedianAndSpread(std::move(by_start));
  const auto [end_origin_ns, end_spread_ns] = MedianAndSpread(std::move(by_end));
  return start_spread_ns < end_spread_ns ? start_origin_ns : end_origin_ns;
}

void NinjaLog::HandOver(uint64_t origin_ns) {
  std::stable_sort(commands_.begin(), commands_.end(),
                   [](const Command& a, const Command& b) { return a.start_ms < b.start_ms; });
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> free;
  std::priority_queue<std::pair<uint64_t, size_t>, std::vector<std::pair<uint64_t, size_t>>,
                      std::greater<>>
      running;  // ends and slots
  size_t slots = 0;
  UseSweep jobs;
  std::string text;
  for (const Command& command : commands_) {
    for (; !running.empty() && running.top().first <= command.start_ms; running.pop())
      free.push(running.top().second);
    if (free.empty()) free.push(++slots);
    const size_t slot = free.top();
    free.pop();
    running.emplace(command.end_ms, slot);
    const uint64_t start_ns = origin_ns + command.start_ms * kNsPerMs;
    const uint64_t end_ns = origin_ns + command.end_ms * kNsPerMs;
    text = absl::StrCat(start_ns, " ", end_ns, " ", slot, " ", command.output);
    rules_.actions().StartLine(command.line, text);
    rules_.TakeLine(text);
    const auto start = sinks_.clock.FromWall(start_ns), end = sinks_.clock.FromWall(end_ns);
    if (start && end) jobs.Add(*start, *end, 1);
  }
  const ResourceTypeId type = sinks_.collector.types().FindResource("jobs");
  if (type == kNoId) return;
  MeasuredResources& resources = sinks_.collector.resources();
  jobs.HandOver(resources, resources.Instance(type, "jobs", ""));
}

absl::Status NinjaLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  rules_.actions().StartFile(name);
  commands_.clear();
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    rules_.actions().StartLine(lines.line_number(), line);
    if (line.empty() || line.front() == '#') continue;
    if (!TakeLine(line, lines.line_number())) rules_.actions().CountLine("log_lines_malformed");
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  if (!commands_.empty()) HandOver(FindOriginNs());
  commands_.clear();
  return lines.status();
}

}  // namespace gordian
