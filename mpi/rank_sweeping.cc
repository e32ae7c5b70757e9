// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_sweeping.h"

#include <malloc.h>

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/sums/joined_windows.h"
#include "mpi/kept_devices.h"
#include "mpi/kept_sweep.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kSweptStage[] = "mpi-swept";
constexpr char kDevicesStage[] = "mpi-devices";
// Stretches of a sweep. More would open the timeline's ends more often, fewer would leave ranks
// without work at the end. The number of ranks has no part in it: another one finds the same units.
// For the same reasons, the devices of many nodes are counted in about so many units.
constexpr uint32_t kStretches = 64;
// As in a sweep by one process: a row or so of each entity must have room.
constexpr uint64_t kBytesPerEntity = 64;

// Borders of stretches of about equally many events, those of `sweep` among them.
std::vector<uint64_t> StretchBorders(const Waits& waits, const WindowSumOptions& sweep) {
  const std::vector<uint64_t> swept = SweepBorders(waits, sweep.from_ns, sweep.to_ns);
  const size_t step = 1 + swept.size() / kStretches;
  std::vector<uint64_t> borders = {sweep.from_ns, sweep.to_ns};
  for (const uint64_t border_ns : sweep.kept_borders_ns)
    if (border_ns > sweep.from_ns && border_ns < sweep.to_ns) borders.push_back(border_ns);
  for (size_t i = 0; i < swept.size(); i += step) borders.push_back(swept[i]);
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

}  // namespace

absl::StatusOr<WindowSums> RankSweeping::Sweep(const Waits& waits, WindowSumOptions sweep) {
  sweep.from_ns = std::max(sweep.from_ns, waits.timeline().start_ns());
  sweep.to_ns = std::clamp(sweep.to_ns, sweep.from_ns, waits.timeline().end_ns());
  const std::vector<uint64_t> asked = sweep.kept_borders_ns;
  const std::vector<uint64_t> borders = StretchBorders(waits, sweep);
  std::vector<uint64_t> kept = borders;
  kept.insert(kept.end(), asked.begin(), asked.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  sweep.kept_borders_ns = std::move(kept);
  own_.Use(&waits);
  auto swept = SweepParts(waits, sweep, borders, asked);
  auto devices = swept.ok() ? DevicesIn(*swept, waits.timeline().node_count())
                            : absl::StatusOr<CountedDevices>(swept.status());
  own_.Use(nullptr);
  if (!devices.ok()) return devices.status();
  return WindowSums(*std::move(swept), *std::move(devices));
}

absl::StatusOr<CountedDevices> RankSweeping::DevicesIn(const SweptWindows& swept, uint32_t nodes) {
  const auto windows = KeepDeviceWindows(
      {swept.borders_ns, {disk_waits_.begin(), disk_waits_.end()}}, timeline_.timeline(), folder_);
  if (!windows.ok()) return windows.status();
  disk_waits_ = Column<WaitInterval>();
  std::vector<DealtUnit> units;
  const uint32_t nodes_of_unit = 1 + nodes / kStretches;
  for (uint32_t node = 0; node < nodes; node += nodes_of_unit) {
    const uint32_t end_node = std::min(nodes, node + nodes_of_unit);
    DealtUnit& dealt = units.emplace_back();
    dealt.unit.set_name(absl::StrCat("devices of node ", node));
    if (end_node > node + 1) absl::StrAppend(dealt.unit.mutable_name(), " to ", end_node - 1);
    pb::DevicesUnit& unit = *dealt.unit.mutable_devices();
    *unit.mutable_timeline() = timeline_;
    unit.set_node(node);
    unit.set_end_node(end_node);
    *unit.mutable_windows() = *windows;
    pb::RankKey& result = *unit.mutable_result();
    result = *windows;
    result.set_stage(kDevicesStage);
    result.set_options(absl::StrCat(node, "-", end_node, ";", timeline_.merge_short_lived(), ";",
                                    windows->options()));
  }
  DevicesOfNodes all(memory_);
  const absl::Status status =
      make_(units, [&](StoredEntry entry) { return AddKeptDevices(entry, all); });
  if (!status.ok()) return status;
  ::malloc_trim(0);
  return all.Take();
}

absl::StatusOr<SweptWindows> RankSweeping::SweepParts(
    const Waits& waits, const WindowSumOptions& sweep, const std::vector<uint64_t>& borders,
    const std::vector<uint64_t>& kept_borders_ns) {
  std::vector<DealtUnit> units;
  for (size_t i = 0; i + 1 < borders.size(); ++i) units.push_back(SweepUnitOf(sweep, i, borders));
  const uint64_t most_bytes =
      static_cast<uint64_t>(sweep.bytes_per_event *
                            static_cast<double>(waits.timeline().events())) +
      kBytesPerEntity * waits.entities().size();
  WindowJoiner joiner(waits.entities(), kept_borders_ns, most_bytes, memory_);
  const absl::Status status = make_(units, [&](StoredEntry entry) {
    const auto part = KeptSweepOf(entry);
    if (!part.ok()) return part.status();
    disk_waits_.Append(part->disk_waits);
    joiner.Add(*part);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  ::malloc_trim(0);  // windows that were joined lay in small pieces
  return joiner.Take();
}

DealtUnit RankSweeping::SweepUnitOf(const WindowSumOptions& sweep, size_t number,
                                    const std::vector<uint64_t>& borders) const {
  DealtUnit dealt;
  dealt.in_a_row = true;
  dealt.unit.set_name(absl::StrCat("sweep ", number + 1, " of ", borders.size() - 1));
  pb::SweepUnit& unit = *dealt.unit.mutable_sweep();
  unit = timeline_;
  unit.set_from_ns(borders[number]);
  unit.set_to_ns(borders[number + 1]);
  unit.set_whole_from_ns(sweep.from_ns);
  unit.set_whole_to_ns(sweep.to_ns);
  for (const uint64_t border_ns : sweep.kept_borders_ns) unit.add_kept_borders_ns(border_ns);
  unit.set_bytes_per_event(sweep.bytes_per_event);
  pb::RankKey& result = *unit.mutable_result();
  result.set_recording(timeline_.timeline().recording());
  result.set_stage(kSweptStage);
  // All that makes the unit, but for where its timeline lies.
  pb::SweepUnit asked = unit;
  asked.clear_holder_folder();
  asked.clear_holders();
  const std::string text = asked.SerializeAsString();
  result.set_options(absl::StrCat(timeline_.timeline().stage(), ";", borders[number], ";",
                                  borders[number + 1], ";",
                                  ContentHash(std::as_bytes(std::span(text.data(), text.size())))));
  return dealt;
}

}  // namespace gordian
