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

// By call; what is in none stands under the empty name.
std::map<std::string, double> TimeByCall(std::span<const StackSum> sums, const Code& code,
                                         StackSide side) {
  std::map<std::string, double> times;
  for (const StackSum& sum : sums)
    times[CallOf(code.PathOf(sum.stack_id, side), code)] += sum.estimate_ns;
  return times;
}

double ShareIn(const std::map<std::string, double>& times, const std::set<std::string>& calls) {
  double all = 0, in_calls = 0;
  for (const auto& [call, time] : times) {
    all += time;
    if (calls.count(call) > 0) in_calls += time;
  }
  return all > 0 ? in_calls / all : 0;
}

std::set<std::string> CallsOfWaits(const StackSums& stacks, const Code& code, uint32_t from,
                                   std::span<const RemovedEdge> removed) {
  std::map<std::string, double> times;
  double all = 0;
  for (const RemovedEdge& edge : removed) {
    if (edge.from != from) continue;
    for (const auto& [call, time] :
         TimeByCall(stacks.Of(from, edge.to, StackSide::kWaiter), code, StackSide::kWaiter)) {
      times[call] += time;
      all += time;
    }
  }
  std::set<std::string> calls;
  for (const auto& [call, time] : times) {
    if (!call.empty() && time >= kCallCounts * all) calls.insert(call);
  }
  return calls;
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
    const std::set<std::string> calls = CallsOfWaits(stacks, code, vertex, removed);
    if (Samples(runs) < kFewestSamples || calls.empty()) continue;
    Path path = {.vertex = vertex,
                 .run_share = ShareIn(TimeByCall(runs, code, StackSide::kRunning), calls)};
    std::set<uint32_t> others;
    for (const StackSum& sum : stacks.all()) {
      if (sum.from == vertex && sum.side == StackSide::kWaiter) others.insert(sum.to);
    }
    for (const uint32_t to : others) {
      const double share = ShareIn(
          TimeByCall(stacks.Of(vertex, to, StackSide::kWaiter), code, StackSide::kWaiter), calls);
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
                    [&](uint32_t index) { return FrameName(code.frame(index)) == function; }))
      within += sum.samples;
  }
  return all == 0 ? 0 : static_cast<double>(within) / static_cast<double>(all);
}

}  // namespace gordian
