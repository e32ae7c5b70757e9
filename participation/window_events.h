// SPDX-License-Identifier: Apache-2.0
// The moments of a stretch of time at which a thread goes from one state, or phase, to another, and
// those of its samples, in order of time. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/waits/stays.h"
#include "analyzer/waits/time_order.h"
#include "participation/recorded_participation.h"

namespace gordian {

struct StayEvent {
  enum class Kind : uint8_t { kStay, kPhase, kSample };
  EntityId thread = kNobody;
  uint32_t value = kNobody;  // kStay: the waker, or creator; kPhase: the phase before; kSample: its
                             // index
  Stay stay = Stay::kGone;   // kStay: what the thread did just before
  bool is_wait = false;
  bool is_idle = false;
  Kind kind = Kind::kStay;
};
static_assert(sizeof(StayEvent) == 12);

// When running threads were sampled, in order of time; and the index of each sample.
using RunningSamples = std::vector<TimedIndex>;
RunningSamples RunningSamplesOf(const RecordedGraph& graph);

struct StayEvents {
  std::vector<StayEvent> events;
  std::vector<TimedIndex> order;  // those at one time: in order of threads
  std::vector<TimedIndex> scratch;

  // All with from_ns <= time < to_ns; replaces what there was.
  void Gather(const RecordedGraph& graph, const RunningSamples& samples, uint64_t from_ns,
              uint64_t to_ns);

 private:
  void GatherThread(const RecordedGraph& graph, EntityId thread, uint64_t from_ns, uint64_t to_ns);
  void GatherPhases(const RecordedGraph& graph, uint64_t from_ns, uint64_t to_ns);
  void GatherSamples(const RecordedGraph& graph, const RunningSamples& samples, uint64_t from_ns,
                     uint64_t to_ns);
  void Add(uint64_t time_ns, const StayEvent& event);
};

// The phases of a thread.
std::span<const ThreadPhase> PhasesOf(const RecordedGraph& graph, EntityId thread);
// In which phase a thread is just before that time.
uint32_t PhaseBefore(std::span<const ThreadPhase> of_thread, uint64_t time_ns);

}  // namespace gordian
