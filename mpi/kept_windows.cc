// SPDX-License-Identifier: Apache-2.0
#include "mpi/kept_windows.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kGraphStage[] = "mpi-activity-graph";

// Without padding: its bytes are hashed.
struct KeptPhase {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId thread = kNobody;
  uint32_t name = 0;
};
static_assert(sizeof(KeptPhase) == 24);

struct KeptWindow {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint64_t paths_to_ns = 0;
  uint32_t paths = 0;
  uint32_t by_sleepers = 0;
  ParticipationDoubts doubts;
  // In the columns of all windows.
  uint64_t stays_end = 0;
  uint64_t hops_end = 0;
  uint64_t samples_end = 0;
};

template <typename Value>
uint64_t HashOfColumn(const std::vector<Value>& values) {
  return ContentHash(std::as_bytes(std::span(values)));
}

absl::Status WindowsContradiction() {
  return absl::DataLossError("kept windows of participation contradict themselves");
}

struct KeptGraph {
  std::vector<uint8_t> is_target;
  std::vector<ThreadPhase> phases;
  std::vector<RecordedActivity> activity_of_phase;
  bool keep_samples = false;
};

absl::StatusOr<KeptGraph> KeptGraphOf(StoredEntry& entry, const Timeline& timeline) {
  const auto targets = entry.Column<uint8_t>("targets");
  if (!targets.ok()) return targets.status();
  const auto phases = entry.Column<KeptPhase>("phases");
  if (!phases.ok()) return phases.status();
  const auto activities = entry.Column<uint8_t>("activities");
  if (!activities.ok()) return activities.status();
  const auto samples = entry.Column<uint8_t>("samples");
  if (!samples.ok()) return samples.status();
  KeptGraph graph;
  if (targets->size() > timeline.thread_count() || samples->size() != 1)
    return WindowsContradiction();
  graph.is_target.assign(targets->begin(), targets->end());
  graph.keep_samples = samples->front() != 0;
  for (const uint8_t activity : *activities) {
    if (activity >= kRecordedActivities) return WindowsContradiction();
    graph.activity_of_phase.push_back(static_cast<RecordedActivity>(activity));
  }
  for (const KeptPhase& phase : *phases) {
    if (phase.thread >= timeline.thread_count() || phase.name > kMostPhaseNames)
      return WindowsContradiction();
    graph.phases.push_back({.thread = phase.thread,
                            .from_ns = phase.from_ns,
                            .to_ns = phase.to_ns,
                            .name = phase.name});
  }
  return graph;
}

void KeepWindows(std::span<const WindowParticipation> windows, StoreWriter& writer) {
  auto kept = writer.GrowColumn<KeptWindow>("windows");
  auto stays = writer.GrowColumn<StayParticipation>("stays");
  auto hops = writer.GrowColumn<HopParticipation>("hops");
  auto samples = writer.GrowColumn<SampleParticipation>("samples");
  KeptWindow told;
  for (const WindowParticipation& window : windows) {
    told.from_ns = window.from_ns;
    told.to_ns = window.to_ns;
    told.paths_to_ns = window.paths_to_ns;
    told.paths = window.paths;
    told.by_sleepers = window.by_sleepers ? 1 : 0;
    told.doubts = window.doubts;
    told.stays_end += window.stays.size();
    told.hops_end += window.hops.size();
    told.samples_end += window.samples.size();
    kept.Append(told);
    stays.Append(window.stays);
    hops.Append(window.hops);
    samples.Append(window.samples);
  }
}

// The next rows of `left`, up to row `end` of all; false if there are not so many.
template <typename Row>
bool TakeRows(std::span<const Row> all, uint64_t& begin, uint64_t end, std::vector<Row>& rows) {
  if (end < begin || end > all.size()) return false;
  rows.assign(all.begin() + static_cast<ptrdiff_t>(begin),
              all.begin() + static_cast<ptrdiff_t>(end));
  begin = end;
  return true;
}

bool AreOfTimeline(const WindowParticipation& window, const Timeline& timeline,
                   size_t phase_names) {
  const auto is_thread = [&](EntityId id) { return id < timeline.thread_count(); };
  const auto is_phase = [&](uint32_t name) { return name == kNoPhase || name < phase_names; };
  return std::all_of(window.stays.begin(), window.stays.end(),
                     [&](const StayParticipation& stay) {
                       return is_thread(stay.thread) && is_phase(stay.phase) &&
                              static_cast<size_t>(stay.activity) < kRecordedActivities;
                     }) &&
         std::all_of(window.hops.begin(), window.hops.end(),
                     [&](const HopParticipation& hop) {
                       return is_thread(hop.from) && is_thread(hop.to) &&
                              hop.kind <= HopKind::kMessage;
                     }) &&
         std::all_of(
             window.samples.begin(), window.samples.end(), [&](const SampleParticipation& sample) {
               return sample.sample < timeline.stack_samples().size() && is_phase(sample.phase);
             });
}

}  // namespace

absl::StatusOr<pb::RankKey> KeepGraph(const RecordedGraph& graph, const pb::RankKey& timeline,
                                      const WorkFolder& folder) {
  const std::vector<uint8_t> targets(graph.is_target.begin(), graph.is_target.end());
  std::vector<KeptPhase> phases;
  for (const ThreadPhase& phase : graph.phases)
    phases.push_back({.from_ns = phase.from_ns,
                      .to_ns = phase.to_ns,
                      .thread = phase.thread,
                      .name = phase.name});
  std::vector<uint8_t> activities;
  for (const RecordedActivity activity : graph.activity_of_phase)
    activities.push_back(static_cast<uint8_t>(activity));
  const uint8_t samples = graph.keep_samples ? 1 : 0;
  pb::RankKey key;
  key.set_recording(timeline.recording());
  key.set_stage(kGraphStage);
  key.set_options(absl::StrCat(timeline.stage(), ";", HashOfColumn(targets), ";",
                               HashOfColumn(phases), ";", HashOfColumn(activities), ";",
                               graph.keep_samples));
  if (folder.Find(key).ok()) return key;
  auto writer = folder.Begin(key, "targets and phases");
  if (!writer.ok()) return writer.status();
  writer->AddColumn<uint8_t>("targets", targets);
  writer->AddColumn<KeptPhase>("phases", phases);
  writer->AddColumn<uint8_t>("activities", activities);
  writer->AddColumn<uint8_t>("samples", std::span(&samples, 1));
  if (absl::Status status = writer->Commit(); !status.ok()) return status;
  return key;
}

absl::Status MakeWindows(const pb::WindowsUnit& unit, const Timeline& timeline,
                         const WorkFolder& folder, int threads) {
  if (unit.from_ns_size() != unit.to_ns_size())
    return absl::InvalidArgumentError("a unit of windows that does not check");
  std::vector<ParticipationWindowTimes> windows;
  for (int i = 0; i < unit.from_ns_size(); ++i) {
    windows.push_back({unit.from_ns(i), unit.to_ns(i)});
    if (windows[i].from_ns >= windows[i].to_ns || windows[i].from_ns < timeline.start_ns() ||
        windows[i].to_ns > timeline.end_ns())
      return absl::InvalidArgumentError("a unit of windows that does not check");
  }
  auto entry = folder.Find(unit.graph());
  if (!entry.ok()) return entry.status();
  const auto kept = KeptGraphOf(*entry, timeline);
  if (!kept.ok()) return kept.status();
  const RecordedGraph graph = {.timeline = timeline,
                               .is_target = kept->is_target,
                               .phases = kept->phases,
                               .activity_of_phase = kept->activity_of_phase,
                               .keep_samples = kept->keep_samples};
  const auto told = ParticipationOfWindows(graph, windows, threads);
  auto writer = folder.Begin(unit.result(), "participation in windows");
  if (!writer.ok()) return writer.status();
  KeepWindows(told, *writer);
  return writer->Commit();
}

absl::StatusOr<std::vector<WindowParticipation>> KeptWindowsOf(StoredEntry& entry,
                                                               const Timeline& timeline,
                                                               size_t phase_names) {
  const auto kept = entry.Column<KeptWindow>("windows");
  if (!kept.ok()) return kept.status();
  const auto stays = entry.Column<StayParticipation>("stays");
  if (!stays.ok()) return stays.status();
  const auto hops = entry.Column<HopParticipation>("hops");
  if (!hops.ok()) return hops.status();
  const auto samples = entry.Column<SampleParticipation>("samples");
  if (!samples.ok()) return samples.status();
  std::vector<WindowParticipation> windows;
  uint64_t first_stay = 0;
  uint64_t first_hop = 0;
  uint64_t first_sample = 0;
  for (const KeptWindow& told : *kept) {
    WindowParticipation& window = windows.emplace_back();
    window.from_ns = told.from_ns;
    window.to_ns = told.to_ns;
    window.paths_to_ns = told.paths_to_ns;
    window.paths = told.paths;
    window.by_sleepers = told.by_sleepers != 0;
    window.doubts = told.doubts;
    if (!TakeRows(*stays, first_stay, told.stays_end, window.stays) ||
        !TakeRows(*hops, first_hop, told.hops_end, window.hops) ||
        !TakeRows(*samples, first_sample, told.samples_end, window.samples) ||
        !AreOfTimeline(window, timeline, phase_names))
      return WindowsContradiction();
  }
  return windows;
}

}  // namespace gordian
