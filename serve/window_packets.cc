// SPDX-License-Identifier: Apache-2.0
#include "serve/window_packets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recorded_phases.h"

namespace gordian {
namespace {

std::vector<uint64_t> BordersOf(const std::vector<TrendWindow>& windows) {
  std::vector<uint64_t> borders_ns;
  for (const TrendWindow& window : windows)
    borders_ns.insert(borders_ns.end(), {window.from_ns, window.to_ns});
  borders_ns.erase(std::unique(borders_ns.begin(), borders_ns.end()), borders_ns.end());
  return borders_ns;
}

absl::StatusOr<WindowPackets> Measured(const ViewRequest& request,
                                       const std::vector<uint64_t>& borders_ns,
                                       std::string_view key) {
  const LoadedRecording& recording = request.analysis().recording();
  if (request.recording.live() != nullptr)
    return WindowPackets{nullptr, "the packets of a live recording are counted when it has ended"};
  if (recording.directories.empty())
    return WindowPackets{nullptr,
                         "the recording's files are not there, so its packets cannot be read"};
  auto measured = request.served->kept().Get<WindowTraffic>(std::string(key), [&] {
    return MeasureWindowTraffic(recording, borders_ns, request.analysis().threads());
  });
  if (absl::IsInvalidArgument(measured.status())) return measured.status();
  if (!measured.ok()) return WindowPackets{nullptr, std::string(measured.status().message())};
  if ((*measured)->traffic.total.empty())
    return WindowPackets{nullptr, "the recording holds no packets"};
  return WindowPackets{*measured, ""};
}

}  // namespace

absl::StatusOr<TimeRange> AskedTimeOf(const ViewRequest& request) {
  const auto asked = GetAskedRange(request.parameters);
  if (!asked.ok()) return asked.status();
  const Timeline& timeline = request.analysis().timeline();
  const TimeRange& all = request.analysis().range();
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), asked->from_ns, asked->to_ns);
  const TimeRange within = {std::max(range.from_ns, all.from_ns), std::min(range.to_ns, all.to_ns)};
  if (within.length_ns() == 0)
    return absl::InvalidArgumentError("the range holds none of the recorded time");
  return within;
}

absl::StatusOr<AskedWindows> WindowsFor(const ViewRequest& request, const TimeRange& range) {
  const auto window_ns = GetUnsigned(request.parameters, "window", 0);
  if (!window_ns.ok()) return window_ns.status();
  const auto phase = GetText(request.parameters, "phase", "", 1000);
  if (!phase.ok()) return phase.status();
  const auto phases = request.served->kept().Get<RecordedPhases>(
      "", [&] { return ReadThreadPhases(request.analysis().recording()); });
  if (!phases.ok()) return phases.status();
  auto windows = phase->empty() ? TrendWindowsOf(range, *window_ns)
                                : TrendWindowsOfPhase(**phases, *phase, range);
  if (!windows.ok()) return windows.status();
  return AskedWindows{*std::move(windows), TrendPhaseNames(**phases),
                      absl::StrCat(range.from_ns, " ", range.to_ns, " ", *window_ns, " ", *phase)};
}

absl::StatusOr<WindowPackets> PacketsFor(const ViewRequest& request, const AskedWindows& asked) {
  return Measured(request, BordersOf(asked.windows), asked.key);
}

absl::StatusOr<WindowPackets> PacketsOfRange(const ViewRequest& request, const TimeRange& range,
                                             std::optional<WindowSpan>& windows) {
  const TimeRange& all = request.analysis().range();
  if (HasParameter(request.parameters, "window") || HasParameter(request.parameters, "phase")) {
    const auto asked = WindowsFor(request, all);
    if (!asked.ok()) return asked.status();
    auto packets = PacketsFor(request, *asked);
    if (!packets.ok() || packets->traffic == nullptr) return packets;
    windows = WindowsBetween(*packets->traffic, range.from_ns, range.to_ns);
    if (windows) return packets;
  }
  windows = WindowSpan{0, 1};
  return Measured(request, {range.from_ns, range.to_ns},
                  absl::StrCat(range.from_ns, " ", range.to_ns));
}

}  // namespace gordian
