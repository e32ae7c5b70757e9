// SPDX-License-Identifier: Apache-2.0
#include "participation/recorded_participation.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/parallel.h"
#include "participation/sweep.h"

namespace gordian {
namespace {

struct PhaseWord {
  std::string_view word;
  RecordedActivity activity;
};
constexpr PhaseWord kPhaseWords[] = {{"barrier", RecordedActivity::kBarrier},
                                     {"serialization", RecordedActivity::kSerialization},
                                     {"serialize", RecordedActivity::kSerialization},
                                     {"deserialize", RecordedActivity::kSerialization},
                                     {"buffer", RecordedActivity::kBuffer}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string_view NameOf(RecordedActivity activity) {
  constexpr std::array<std::string_view, kRecordedActivities> kNames = {
      "Processing",  "Barrier",   "Serialization", "Buffer",      "Scheduling", "IO: disk",
      "IO: network", "IO: timer", "IO: interrupt", "DataMessage", "Unknown"};
  return kNames[static_cast<size_t>(activity)];
}

RecordedActivity ActivityOfPhase(std::string_view name) {
  for (const PhaseWord& known : kPhaseWords) {
    const bool begins = name.substr(0, known.word.size()) == known.word;
    if (begins && (name.size() == known.word.size() || !IsLetter(name[known.word.size()])))
      return known.activity;
  }
  return RecordedActivity::kProcessing;
}

ParticipationDoubts& ParticipationDoubts::operator+=(const ParticipationDoubts& other) {
  waits_not_ended += other.waits_not_ended;
  wakes_by_sleepers += other.wakes_by_sleepers;
  births_without_creator += other.births_without_creator;
  messages_by_sleepers += other.messages_by_sleepers;
  return *this;
}

std::vector<ParticipationWindowTimes> WindowsOf(uint64_t from_ns, uint64_t to_ns,
                                                uint64_t window_ns) {
  std::vector<ParticipationWindowTimes> windows;
  while (from_ns < to_ns) {
    const bool is_last = window_ns == 0 || to_ns - from_ns <= window_ns;
    const uint64_t end_ns = is_last ? to_ns : from_ns + window_ns;
    windows.push_back({from_ns, end_ns});
    from_ns = end_ns;
  }
  return windows;
}

std::vector<WindowParticipation> ParticipationOfWindows(
    const RecordedGraph& graph, std::span<const ParticipationWindowTimes> windows, int threads) {
  threads = ThreadCount(threads);
  const RunningSamples samples = RunningSamplesOf(graph);
  std::vector<WindowParticipation> results(windows.size());
  std::vector<std::unique_ptr<WindowSweep>> sweeps(static_cast<size_t>(threads));
  const int gather_threads = windows.size() == 1 ? threads : 1;
  ParallelFor(threads, windows.size(), [&](size_t i, int worker) {
    std::unique_ptr<WindowSweep>& sweep = sweeps[static_cast<size_t>(worker)];
    if (sweep == nullptr) sweep = std::make_unique<WindowSweep>(graph);
    results[i] = sweep->Sweep(samples, windows[i], gather_threads);
  });
  return results;
}

WindowParticipation ParticipationWithin(const RecordedGraph& graph, uint64_t from_ns,
                                        uint64_t to_ns) {
  const ParticipationWindowTimes window = {from_ns, to_ns};
  return std::move(ParticipationOfWindows(graph, std::span(&window, 1), 1).front());
}

}  // namespace gordian
