// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/waiting_functions.h"

#include <algorithm>
#include <map>

#include "whatif/paths/calls_of_stacks.h"
#include "whatif/paths/thresholds.h"

namespace gordian {
namespace {

struct FunctionTimes {
  struct Meeting {
    double waits_ns = 0;  // in the function
    double ended_ns = 0;  // by wakes in the function
  };
  double removed_ns = 0;
  double other_ns = 0;  // waits for no thread
  double run_ns = 0;
  std::map<uint32_t, Meeting> waits_for;  // by vertex
  std::map<uint32_t, Meeting> wakes;
};

std::set<std::string> FunctionsIn(const CodePath& path, const Code& code) {
  std::set<std::string> functions;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (!frame.kernel && !frame.function.empty()) functions.insert(frame.function);
  }
  return functions;
}

bool IsRemoved(std::span<const RemovedEdge> removed, uint32_t from, uint32_t to) {
  return std::any_of(removed.begin(), removed.end(),
                     [&](const RemovedEdge& edge) { return edge.from == from && edge.to == to; });
}

// Whether in that function threads mostly wake each other, kernel threads, or others that do
// removed waits too (a thread that flushes in the background).
bool IsClosed(const FunctionTimes& its, std::span<const RemovedEdge> removed,
              std::span<const uint8_t> is_kernel) {
  double all_ns = 0, elsewhere_ns = 0;
  for (const auto& [vertex, meeting] : its.wakes) {
    const bool kernel = vertex < is_kernel.size() && is_kernel[vertex] != 0;
    const bool does_it_too =
        std::any_of(removed.begin(), removed.end(),
                    [vertex = vertex](const RemovedEdge& edge) { return edge.from == vertex; });
    if (kernel) continue;
    all_ns += meeting.ended_ns;
    if (!does_it_too && meeting.waits_ns < kMostOfWaits * meeting.ended_ns)
      elsewhere_ns += meeting.ended_ns - meeting.waits_ns;
  }
  return elsewhere_ns <= (1 - kMostOfWaits) * all_ns;
}

// Waits for others that end in the same function: they are shorter as the removed waits are gone.
double MetInIt(const FunctionTimes& its) {
  double met_ns = 0;
  for (const auto& [vertex, meeting] : its.waits_for)
    met_ns += std::min(meeting.waits_ns, meeting.ended_ns);
  return met_ns;
}

std::map<std::string, FunctionTimes> TimesByFunction(const StackSums& stacks, const Code& code,
                                                     uint32_t vertex,
                                                     std::span<const RemovedEdge> removed) {
  std::map<std::string, FunctionTimes> times;
  for (const StackSum& sum : stacks.all()) {
    if (sum.from != vertex && sum.to != vertex) continue;
    const bool is_removed = IsRemoved(removed, sum.from, sum.to);
    // An interrupt's wake has nothing to do with the code it interrupted.
    if (sum.side == StackSide::kWaker && IsInInterrupt(code.PathOf(sum.stack_id, sum.side), code))
      continue;
    for (const std::string& function : FunctionsIn(code.PathOf(sum.stack_id, sum.side), code)) {
      FunctionTimes& its = times[function];
      if (sum.side == StackSide::kRunning) {
        its.run_ns += sum.estimate_ns;
      } else if (is_removed) {
        if (sum.side == StackSide::kWaiter && sum.from == vertex) its.removed_ns += sum.estimate_ns;
      } else {
        const bool waits = sum.side == StackSide::kWaiter;
        if (sum.from == vertex) {
          FunctionTimes::Meeting& meeting = its.waits_for[sum.to];
          (waits ? meeting.waits_ns : meeting.ended_ns) += sum.estimate_ns;
          if (waits) its.other_ns += sum.estimate_ns;
        }
        if (sum.to == vertex) {
          FunctionTimes::Meeting& meeting = its.wakes[sum.from];
          (waits ? meeting.waits_ns : meeting.ended_ns) += sum.estimate_ns;
        }
      }
    }
  }
  return times;
}

bool IsAboutRemoved(const FunctionTimes& its, double about) {
  const double waits_ns = its.removed_ns + its.other_ns;
  const double about_ns = its.removed_ns + MetInIt(its);
  return its.removed_ns >= kPartOfWaits * waits_ns && about_ns >= kMostOfWaits * waits_ns &&
         about_ns >= about * (waits_ns + its.run_ns);
}

bool IsForThreads(const StackSums& stacks, uint32_t vertex, std::span<const RemovedEdge> removed,
                  std::span<const uint8_t> is_kernel) {
  return std::any_of(removed.begin(), removed.end(), [&](const RemovedEdge& edge) {
    const bool kernel = edge.to < is_kernel.size() && is_kernel[edge.to] != 0;
    return edge.from == vertex && !kernel &&
           !stacks.Of(edge.to, edge.to, StackSide::kRunning).empty();
  });
}

// How long the vertex waits for its like in that function while it is in one of the others, too.
double TimeWithin(const std::set<std::string>& others, const std::string& function,
                  const StackSums& stacks, const Code& code, uint32_t vertex) {
  double time_ns = 0;
  for (const StackSum& sum : stacks.Of(vertex, vertex, StackSide::kWaiter)) {
    const std::set<std::string> all = FunctionsIn(code.PathOf(sum.stack_id, sum.side), code);
    const bool is_within = all.count(function) > 0 &&
                           std::any_of(all.begin(), all.end(), [&](const std::string& other) {
                             return other != function && others.count(other) > 0;
                           });
    if (is_within) time_ns += sum.estimate_ns;
  }
  return time_ns;
}

// Whether another of these, in which others join, has the same removed waits and does less besides.
bool HasInner(const std::string& function, const std::set<std::string>& others,
              const std::map<std::string, FunctionTimes>& times) {
  const FunctionTimes& its = times.at(function);
  return std::any_of(others.begin(), others.end(), [&](const std::string& other) {
    const FunctionTimes& inner = times.at(other);
    return other != function && inner.run_ns + inner.other_ns < its.run_ns + its.other_ns &&
           MetInIt(inner) > 0 && inner.removed_ns >= kTheSameWaits * its.removed_ns;
  });
}

}  // namespace

WaitingFunctions FunctionsOfWaits(const StackSums& stacks, const Code& code, uint32_t vertex,
                                  std::span<const RemovedEdge> removed,
                                  std::span<const uint8_t> is_kernel) {
  double run_ns = 0;
  for (const StackSum& sum : stacks.Of(vertex, vertex, StackSide::kRunning))
    run_ns += sum.estimate_ns;
  const std::map<std::string, FunctionTimes> times = TimesByFunction(stacks, code, vertex, removed);
  const double share =
      IsForThreads(stacks, vertex, removed, is_kernel) ? kAboutRemovedThreads : kAboutRemovedWaits;
  std::set<std::string> about;
  for (const auto& [function, its] : times) {
    if (IsAboutRemoved(its, share) && IsClosed(its, removed, is_kernel)) about.insert(function);
  }
  std::set<std::string> inner;
  for (const std::string& function : about) {
    if (!HasInner(function, about, times)) inner.insert(function);
  }
  WaitingFunctions found;
  for (const auto& [function, its] : times) {
    if (its.removed_ns < kPartOfWaits * its.other_ns &&
        its.other_ns >= kAboutRemovedWaits * its.run_ns && its.other_ns > 0 &&
        IsClosed(its, removed, is_kernel) &&
        TimeWithin(inner, function, stacks, code, vertex) >= kTheSameWaits * its.other_ns)
      found.joined.insert(function);
  }
  for (const std::string& function : inner) {
    if (times.at(function).run_ns < kNotAllItRuns * run_ns) found.whole.insert(function);
  }
  return found;
}

}  // namespace gordian
