#include "analyzer/replay/call_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr double kCallCounts = 0.1;
constexpr size_t kCallers = 3;
// A function is about the removed waits from these shares on: of all its waits, of all its time;
// and up to this share of all that the thread runs.
constexpr double kNothingElse = 0.95, kAboutIt = 0.4, kNotAll = 0.8;
constexpr uint64_t kFewestSamples = 10;  // of runs: fewer tell no share

// x86 and arm64 name the entry of fsync __x64_sys_fsync and __arm64_sys_fsync.
bool IsSystemCall(std::string_view function) {
  return function.starts_with("__") && function.find("_sys_") != std::string_view::npos;
}

// Empty if there is no system call in it.
std::string CallOf(const CodePath& path, const Code& code) {
  std::string call;
  size_t callers = 0;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel) {
      if (IsSystemCall(frame.function)) call = frame.function;
    } else if (!call.empty()) {
      absl::StrAppend(&call, ";", FrameName(frame));
      if (++callers == kCallers) break;
    }
  }
  return call;
}

// Functions of the program that are about the removed waits: most of a call to them is such a wait,
// they wait for nothing else and wake nobody, and the thread does other things too.
struct FunctionTimes {
  double removed_ns = 0;
  double other_ns = 0;  // waits
  double run_ns = 0;
  bool wakes = false;
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

std::set<std::string> FunctionsOfWaits(const StackSums& stacks, const Code& code, uint32_t vertex,
                                       std::span<const RemovedEdge> removed) {
  std::map<std::string, FunctionTimes> times;
  double run_ns = 0;
  for (const StackSum& sum : stacks.all()) {
    const bool wakes = sum.side == StackSide::kWaker && sum.to == vertex;
    // That it wakes those who do what is waited for is part of it.
    if (wakes && IsRemoved(removed, vertex, sum.from)) continue;
    if (!wakes && (sum.from != vertex || sum.side == StackSide::kWaker)) continue;
    if (sum.side == StackSide::kRunning) run_ns += sum.estimate_ns;
    for (const std::string& function : FunctionsIn(code.PathOf(sum.stack_id, sum.side), code)) {
      FunctionTimes& its = times[function];
      its.wakes |= wakes;
      if (sum.side == StackSide::kRunning) its.run_ns += sum.estimate_ns;
      if (sum.side == StackSide::kWaiter)
        (IsRemoved(removed, vertex, sum.to) ? its.removed_ns : its.other_ns) += sum.estimate_ns;
    }
  }
  std::set<std::string> functions;
  for (const auto& [function, its] : times) {
    const double waits_ns = its.removed_ns + its.other_ns;
    if (!its.wakes && its.removed_ns >= kNothingElse * waits_ns &&
        its.removed_ns >= kAboutIt * (waits_ns + its.run_ns) && its.run_ns < kNotAll * run_ns)
      functions.insert(function);
  }
  return functions;
}

// What tells the stacks on the way of the removed waits.
struct Way {
  std::set<std::string> calls;
  std::set<std::string> functions;
};

bool IsOn(const Way& way, const CodePath& path, const Code& code) {
  if (way.calls.count(CallOf(path, code)) > 0) return true;
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return !frame.kernel && way.functions.count(frame.function) > 0;
  });
}

double ShareOn(const Way& way, std::span<const StackSum> sums, const Code& code, StackSide side) {
  double all = 0, on = 0;
  for (const StackSum& sum : sums) {
    all += sum.estimate_ns;
    if (IsOn(way, code.PathOf(sum.stack_id, side), code)) on += sum.estimate_ns;
  }
  return all > 0 ? on / all : 0;
}

std::set<std::string> CallsOfWaits(const StackSums& stacks, const Code& code, uint32_t from,
                                   std::span<const RemovedEdge> removed) {
  std::map<std::string, double> times;
  double all = 0;
  for (const RemovedEdge& edge : removed) {
    if (edge.from != from) continue;
    for (const StackSum& sum : stacks.Of(from, edge.to, StackSide::kWaiter)) {
      times[CallOf(code.PathOf(sum.stack_id, StackSide::kWaiter), code)] += sum.estimate_ns;
      all += sum.estimate_ns;
    }
  }
  std::set<std::string> calls;
  for (const auto& [call, time] : times) {
    if (!call.empty() && time >= kCallCounts * all) calls.insert(call);
  }
  return calls;
}

// As it is shown, its whole name, or the end of that after its namespace or class.
bool IsCalled(const CodeFrame& frame, std::string_view name) {
  if (FrameName(frame) == name || frame.function == name) return true;
  const std::string_view function = frame.function;
  return function.ends_with(name) &&
         function.substr(0, function.size() - name.size()).ends_with("::");
}

uint64_t Samples(std::span<const StackSum> sums) {
  uint64_t samples = 0;
  for (const StackSum& sum : sums) samples += sum.samples;
  return samples;
}

}  // namespace

std::vector<Path> CallPaths(const StackSums& stacks, const Code& code,
                            std::span<const RemovedEdge> removed) {
  std::set<uint32_t> vertices;
  for (const RemovedEdge& edge : removed) vertices.insert(edge.from);
  std::vector<Path> paths;
  for (const uint32_t vertex : vertices) {
    const std::span<const StackSum> runs = stacks.Of(vertex, vertex, StackSide::kRunning);
    const Way way = {.calls = CallsOfWaits(stacks, code, vertex, removed),
                     .functions = FunctionsOfWaits(stacks, code, vertex, removed)};
    if (Samples(runs) < kFewestSamples || (way.calls.empty() && way.functions.empty())) continue;
    Path path = {.vertex = vertex, .run_share = ShareOn(way, runs, code, StackSide::kRunning)};
    std::set<uint32_t> others;
    for (const StackSum& sum : stacks.all()) {
      if (sum.from == vertex && sum.side == StackSide::kWaiter) others.insert(sum.to);
    }
    for (const uint32_t to : others) {
      const double share =
          ShareOn(way, stacks.Of(vertex, to, StackSide::kWaiter), code, StackSide::kWaiter);
      if (share > 0) path.waits.push_back({to, share});
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

double RunShareOf(const StackSums& stacks, const Code& code, uint32_t vertex,
                  std::string_view function) {
  uint64_t all = 0, within = 0;
  for (const StackSum& sum : stacks.Of(vertex, vertex, StackSide::kRunning)) {
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    all += sum.samples;
    if (std::any_of(path.begin(), path.end(),
                    [&](uint32_t index) { return IsCalled(code.frame(index), function); }))
      within += sum.samples;
  }
  return all == 0 ? 0 : static_cast<double>(within) / static_cast<double>(all);
}

}  // namespace gordian
