// SPDX-License-Identifier: Apache-2.0
// The participation of a recording's windows as rows for people.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "participation/participation_request.h"
#include "participation/recorded_participation.h"
#include "schema/participation.pb.h"

namespace gordian {

// How rows are called; clean text. All are asked for the same thing more than once.
struct RecordedRowNames {
  std::function<std::string(EntityId)> thread;
  std::function<std::string(EntityId)> vertex;             // threads of one share a row
  std::function<std::string(uint32_t)> phase;              // above 0
  std::function<std::string(uint32_t)> function_of_stack;  // by stack id
};

// Rows by
//   activity    their names; ControlMessage: the wakes, births and requests passed on, without time
//   thread, vertex
//   phase       the innermost one; without a name: none
//   function    of what ran, shared out by its samples ("[not sampled]"); what did not run by its
//               activity, as in "[IO: disk]"
//   operator    the phase of what ran, else its function; likewise
//   link        pairs of vertices: wakes and messages from the first to the second
// `windows` as ParticipationOfWindows gave them for `graph`. Times are counted from the timeline's
// start. Windows without a path, and doubts, are counted.
pb::Participation RowsOf(const RecordedGraph& graph, std::span<const WindowParticipation> windows,
                         ParticipationBy by, const RecordedRowNames& names);

// Where running threads were on the average path.
struct CriticalStack {
  EntityId thread = kNobody;
  uint32_t stack_id = 0;
  bool is_sampled = true;  // else no sample of the thread was on a path in that window
  uint64_t samples = 0;
  double ns = 0;  // of the windows' length
};
// By thread, then by stack. All ns add up to the time that the average path runs: each run's time
// goes to the thread's samples of that window and phase, by the paths that were there.
std::vector<CriticalStack> CriticalStacks(const RecordedGraph& graph,
                                          std::span<const WindowParticipation> windows);

}  // namespace gordian
