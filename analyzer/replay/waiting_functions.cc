#include "analyzer/replay/waiting_functions.h"

#include <algorithm>
#include <map>

namespace gordian {
namespace {

// A function is about the removed waits from these shares on: of all its waits, of all its time;
// and up to this share of all that the thread runs.
constexpr double kNothingElse = 0.95, kAboutIt = 0.4, kNotAll = 0.8;
// At least so much of its waits are the removed ones, not those for who does them; and, with these,
// so much: of what a function is there for some is elsewhere (whoever flushes in the background).
constexpr double kPartOfIt = 0.1, kMostOfIt = 0.75;

// Functions of the program that are about the removed waits: most of a call to them is such a wait,
// or one for somebody who ends it in the same function; they wait for little else and wake nobody
// else, and the thread does other things too.
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

bool IsInInterrupt(const CodePath& path, const Code& code) {
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return frame.kernel && (frame.function.find("sysvec") != std::string::npos ||
                            frame.function.find("common_interrupt") != std::string::npos);
  });
}

bool IsRemoved(std::span<const RemovedEdge> removed, uint32_t from, uint32_t to) {
  return std::any_of(removed.begin(), removed.end(),
                     [&](const RemovedEdge& edge) { return edge.from == from && edge.to == to; });
}

// Whether in that function threads only wake each other, kernel threads, or others who do removed
// waits too (whoever flushes in the background).
bool IsClosed(const FunctionTimes& its, std::span<const RemovedEdge> removed,
              std::span<const uint8_t> is_kernel) {
  for (const auto& [vertex, meeting] : its.wakes) {
    const bool kernel = vertex < is_kernel.size() && is_kernel[vertex] != 0;
    const bool does_it_too =
        std::any_of(removed.begin(), removed.end(),
                    [vertex = vertex](const RemovedEdge& edge) { return edge.from == vertex; });
    if (!kernel && !does_it_too && meeting.waits_ns < kNothingElse * meeting.ended_ns) return false;
  }
  return true;
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
    // What an interrupt wakes has nothing to do with what it interrupted.
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

}  // namespace

std::set<std::string> FunctionsOfWaits(const StackSums& stacks, const Code& code, uint32_t vertex,
                                       std::span<const RemovedEdge> removed,
                                       std::span<const uint8_t> is_kernel) {
  double run_ns = 0;
  for (const StackSum& sum : stacks.Of(vertex, vertex, StackSide::kRunning))
    run_ns += sum.estimate_ns;
  std::set<std::string> functions;
  for (const auto& [function, its] : TimesByFunction(stacks, code, vertex, removed)) {
    const double waits_ns = its.removed_ns + its.other_ns;
    const double about_ns = its.removed_ns + MetInIt(its);
    if (its.removed_ns >= kPartOfIt * waits_ns && about_ns >= kMostOfIt * waits_ns &&
        about_ns >= kAboutIt * (waits_ns + its.run_ns) && its.run_ns < kNotAll * run_ns &&
        IsClosed(its, removed, is_kernel))
      functions.insert(function);
  }
  return functions;
}

}  // namespace gordian
