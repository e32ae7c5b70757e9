// SPDX-License-Identifier: Apache-2.0
#include "views/window_traffic.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/node_sessions.h"

namespace gordian {
namespace {

// The timeline of several nodes goes by the clock of its reference node.
size_t NodeOfClock(const LoadedRecording& recording) {
  if (recording.nodes == nullptr) return 0;
  const auto& nodes = recording.nodes->nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const JoinedNode& node) {
    return node.name == recording.nodes->reference;
  });
  return at == nodes.end() ? kOnCommonClock : static_cast<size_t>(at - nodes.begin());
}

std::vector<TrafficPhase> PhasesOfWindows(const LoadedRecording& recording,
                                          std::span<const uint64_t> borders_ns) {
  const Timeline& timeline = *recording.timeline;
  const size_t node = NodeOfClock(recording);
  const auto clock_ns = [&](uint64_t recorded_ns) {
    // Packets may lie a little outside of what threads did: they count for the nearest window.
    if (recorded_ns <= timeline.start_ns()) return uint64_t{0};
    if (recorded_ns >= timeline.end_ns()) return UINT64_MAX;
    return timeline.pauses().ClockTime(recorded_ns);
  };
  std::vector<TrafficPhase> phases;
  for (size_t i = 0; i + 1 < borders_ns.size(); ++i) {
    phases.push_back({.label = absl::StrCat(i),
                      .start_ns = clock_ns(borders_ns[i]),
                      .end_ns = clock_ns(borders_ns[i + 1]),
                      .node = node,
                      .pid = 0});
  }
  return phases;
}

uint32_t WindowOf(const TrafficSpan& span) {
  uint32_t window = kNoWindow;
  if (span.kind == SpanKind::kPlain)
    std::from_chars(span.label.data(), span.label.data() + span.label.size(), window);
  return window;
}

}  // namespace

absl::StatusOr<WindowTraffic> MeasureWindowTraffic(const LoadedRecording& recording,
                                                   std::vector<uint64_t> borders_ns, int threads) {
  if (borders_ns.size() < 2) return absl::InvalidArgumentError("no window was asked for");
  if (borders_ns.size() > kMostSpans)
    return absl::InvalidArgumentError(absl::StrCat("that would be more than ", kMostSpans,
                                                   " windows of time: choose longer ones"));
  TrafficOptions options{
      .by_phase = true, .phases = PhasesOfWindows(recording, borders_ns), .threads = threads};
  const bool one = recording.nodes == nullptr;
  for (size_t node = 0; node < recording.directories.size(); ++node)
    options.nodes.push_back({.name = one ? "" : recording.nodes->nodes[node].name,
                             .directory = recording.directories[node],
                             .rack = {}});
  auto measured = MeasureTraffic(options);
  if (!measured.ok()) return measured.status();
  WindowTraffic result{.borders_ns = std::move(borders_ns), .traffic = *std::move(measured)};
  for (const TrafficSpan& span : result.traffic.spans)
    result.window_of_span.push_back(WindowOf(span));
  for (const TrafficPair& pair : result.traffic.pairs) {
    for (const SpanAmount& amount : pair.spans)
      if (result.traffic.spans[amount.span].kind == SpanKind::kUntimed)
        result.untimed_bytes += amount.amount.payload_bytes;
  }
  return result;
}

std::optional<WindowSpan> WindowsBetween(const WindowTraffic& traffic, uint64_t from_ns,
                                         uint64_t to_ns) {
  const auto& borders = traffic.borders_ns;
  const auto from = std::lower_bound(borders.begin(), borders.end(), from_ns);
  const auto to = std::lower_bound(borders.begin(), borders.end(), to_ns);
  if (from == borders.end() || *from != from_ns || to == borders.end() || *to != to_ns)
    return std::nullopt;
  return WindowSpan{static_cast<uint32_t>(from - borders.begin()),
                    static_cast<uint32_t>(to - borders.begin())};
}

TrafficAmount AmountWithin(const WindowTraffic& traffic, const TrafficPair& pair,
                           const WindowSpan& windows) {
  TrafficAmount sum;
  for (const SpanAmount& amount : pair.spans) {
    const uint32_t window = traffic.window_of_span[amount.span];
    if (window != kNoWindow && window >= windows.first && window < windows.end)
      sum += amount.amount;
  }
  return sum;
}

}  // namespace gordian
