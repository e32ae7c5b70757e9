// SPDX-License-Identifier: Apache-2.0
#include "loglines/log_clocks.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// What a program does between its look at the clock and its line, at the least.
constexpr uint64_t kLeastWindowNs = 1'000;

uint64_t SumOrMost(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

}  // namespace

LogClocks::LogClocks(const LoadedRecording& recording) : recording_(recording) {
  const Timeline& timeline = *recording.timeline;
  nodes_.resize(timeline.node_count());
  const uint64_t middle_ns = timeline.pauses().ClockTime(
      timeline.start_ns() + (timeline.end_ns() - timeline.start_ns()) / 2);
  middle_realtime_ns_ = middle_ns;
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    pb::Session session = timeline.session();
    if (node < recording.directories.size()) {
      const auto reader = SessionReader::Open(recording.directories[node]);
      if (reader.ok()) session = (*reader)->session();
    }
    nodes_[node].hostname = session.host().hostname();
    nodes_[node].wall =
        JobClock(session, [this, node](uint64_t own_ns) { return ToReference(node, own_ns); });
    knows_wall_clock_ &= session.clocks_size() > 0;
    for (const pb::ClockPair& pair : session.clocks())
      nodes_[node].error_ns = std::max(nodes_[node].error_ns, pair.error_ns());
    if (node != 0 || session.clocks_size() == 0) continue;
    const pb::ClockPair& pair = session.clocks(0);
    const uint64_t pair_ns = ToReference(0, pair.monotonic_ns());
    int64_t realtime_ns = 0;
    const bool overflows = __builtin_add_overflow(
        pair.realtime_ns(), static_cast<int64_t>(middle_ns - pair_ns), &realtime_ns);
    if (!overflows && realtime_ns > 0) middle_realtime_ns_ = static_cast<uint64_t>(realtime_ns);
  }
}

uint64_t LogClocks::ToReference(uint32_t node, uint64_t own_ns) const {
  return recording_.nodes == nullptr ? own_ns : recording_.nodes->clocks[node].ToReference(own_ns);
}

LineWindow LogClocks::WindowOf(const LineStamp& stamp, uint32_t node) const {
  const Timeline& timeline = *recording_.timeline;
  const Pauses& pauses = timeline.pauses();
  const uint64_t error_ns = nodes_[node].error_ns;
  const auto to_clock = [&](uint64_t told_ns) -> uint64_t {
    if (stamp.is_monotonic) return ToReference(node, told_ns);
    return nodes_[node].wall.FromWall(told_ns).value_or(0);
  };
  const uint64_t first_ns = to_clock(stamp.time_ns);
  const uint64_t from_ns = first_ns > error_ns ? first_ns - error_ns : 0;
  const uint64_t last_ns =
      SumOrMost(first_ns, SumOrMost(std::max(stamp.covers_ns, kLeastWindowNs), error_ns));
  const uint64_t start_ns = pauses.ClockTime(timeline.start_ns());
  const uint64_t end_ns = pauses.ClockTimeOfEnd(timeline.end_ns());
  LineWindow window;
  if (last_ns <= start_ns) window.before_ns = std::max<uint64_t>(1, start_ns - last_ns);
  if (from_ns >= end_ns) window.after_ns = std::max<uint64_t>(1, from_ns - end_ns);
  window.from_ns = std::clamp(pauses.RecordedTime(from_ns), timeline.start_ns(), timeline.end_ns());
  window.to_ns = std::clamp(pauses.RecordedTime(last_ns), timeline.start_ns(), timeline.end_ns());
  window.is_in_pause = pauses.Holds(from_ns) && pauses.Holds(last_ns);
  if (window.to_ns <= window.from_ns) window.to_ns = window.from_ns + 1;
  return window;
}

ChosenZone ChooseZone(const LogClocks& clocks, const LineStamps& stamps, std::string_view line,
                      uint32_t node, const std::string& told) {
  if (!told.empty()) return {told, told, false};
  const auto fits = [&](const std::string& zone) {
    const auto stamp = stamps.Find(line, {.zone = zone, .near_ns = clocks.middle_realtime_ns()});
    return stamp &&
           (stamp->has_zone || stamp->is_monotonic || clocks.WindowOf(*stamp, node).is_within());
  };
  if (fits("UTC")) return {"UTC", "UTC", false};
  const std::string local = absl::LocalTimeZone().name();
  if (fits(local)) return {local, local, true};
  // From -12:00 to +14:00: all zones that people live in.
  for (int minutes = -12 * 60; minutes <= 14 * 60; minutes += 15) {
    const int size = minutes < 0 ? -minutes : minutes;
    const std::string zone = FixedZone(minutes);
    if (fits(zone))
      return {zone,
              absl::StrFormat("UTC%c%02d:%02d", minutes < 0 ? '-' : '+', size / 60, size % 60),
              true};
  }
  return {"UTC", "UTC", false};
}

}  // namespace gordian
