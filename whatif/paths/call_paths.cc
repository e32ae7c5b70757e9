// SPDX-License-Identifier: Apache-2.0
// The calls on whose way waits happen, from stacks.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "whatif/paths/calls_of_stacks.h"
#include "whatif/paths/paths.h"
#include "whatif/paths/thresholds.h"
#include "whatif/paths/waiting_functions.h"

namespace gordian {
namespace {

// The criterion for stacks on the way of the removed waits.
struct Way {
  std::set<std::string> calls;
  std::set<std::string> functions;
  bool writes = false;  // calls that write to files too
};

// "__x64_sys_fdatasync;fdatasync;Commit" is one of fdatasync.
bool IsSync(std::string_view call) {
  return call.substr(0, call.find(';')).find("sync") != std::string_view::npos;
}
bool IsWrite(std::string_view call) {
  const std::string_view name = call.substr(0, call.find(';'));
  return name.find("_sys_write") != std::string_view::npos ||
         name.find("_sys_pwrite") != std::string_view::npos;
}

bool IsOn(const Way& way, const CodePath& path, const Code& code) {
  const std::string call = CallOf(path, code);
  if (way.calls.count(call) > 0 || (way.writes && IsWrite(call))) return true;
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return !frame.kernel && way.functions.count(frame.function) > 0;
  });
}

bool IsOwnCode(const CodePath& path, const Code& code) {
  return !path.empty() && !code.frame(path.front()).kernel;
}

// Of the program's own code outside of the way.
double OwnShare(const Way& way, std::span<const StackSum> sums, const Code& code) {
  double all = 0, own = 0;
  for (const StackSum& sum : sums) {
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    all += sum.estimate_ns;
    if (IsOwnCode(path, code) && !IsOn(way, path, code)) own += sum.estimate_ns;
  }
  return all > 0 ? own / all : 0;
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
  WeighedCalls calls;
  for (const RemovedEdge& edge : removed) {
    if (edge.from == from)
      calls.Add(stacks.Of(from, edge.to, StackSide::kWaiter), code, StackSide::kWaiter);
  }
  return calls.Take();
}

// Without what compilers add to the name of a function for the pieces they make of it: closures
// (Go's "serve.func2.1"), cold and partial copies ("serve.part.0.cold"), other calling conventions.
std::string_view WithoutPieces(std::string_view function) {
  constexpr std::string_view kNumbered[] = {".func",   ".gowrap",     ".abi",
                                            ".part.",  ".constprop.", ".isra.",
                                            ".clone.", ".lto_priv.",  ".llvm."};
  if (function.ends_with(".cold")) function.remove_suffix(std::string_view(".cold").size());
  size_t end = function.size();
  for (const std::string_view piece : kNumbered) {
    const size_t at = function.find(piece);
    const size_t number = at + piece.size();
    if (at != std::string_view::npos && number < function.size() &&
        absl::ascii_isdigit(static_cast<unsigned char>(function[number])))
      end = std::min(end, at);
  }
  return function.substr(0, end);
}

// A function's name as shown: the whole, or the end of that after its namespace, class, or package
// (Go, Java).
bool IsNamed(std::string_view function, std::string_view name) {
  if (!function.ends_with(name)) return false;
  const std::string_view before = function.substr(0, function.size() - name.size());
  return before.empty() || before.ends_with("::") || before.ends_with('.') || before.ends_with('/');
}

// A piece that is named counts alone, and with all others where their function is.
bool IsCalled(const CodeFrame& frame, std::string_view name) {
  return FrameName(frame) == name || IsNamed(frame.function, name) ||
         (!frame.kernel && !name.empty() && IsNamed(WithoutPieces(frame.function), name));
}

// The largest share that so many samples still allow, 19 times of 20: the upper end of Wilson's
// interval.
double MostShare(double share, double samples) {
  const double squared = kNormalDeviations * kNormalDeviations / samples;
  return (share + squared / 2 +
          kNormalDeviations * std::sqrt(share * (1 - share) / samples + squared / samples / 4)) /
         (1 + squared);
}

// … and the smallest: all but what other calls may be.
double LeastIn(const Way& way, std::span<const StackSum> sums, const Code& code) {
  const uint64_t samples = SamplesIn(sums);
  if (samples < kFewestRunSamples) return 0;
  const double share = ShareOn(way, sums, code, StackSide::kRunning);
  return std::max(0.0, 1 - MostShare(1 - share, static_cast<double>(samples)));
}

}  // namespace

std::vector<Path> CallPaths(const StackSums& stacks, const Code& code,
                            std::span<const RemovedEdge> removed,
                            std::span<const uint8_t> is_kernel) {
  std::set<uint32_t> vertices;
  for (const RemovedEdge& edge : removed) vertices.insert(edge.from);
  std::vector<Path> paths;
  for (const uint32_t vertex : vertices) {
    const std::span<const StackSum> runs = stacks.Of(vertex, vertex, StackSide::kRunning);
    const WaitingFunctions functions = FunctionsOfWaits(stacks, code, vertex, removed, is_kernel);
    const Way way = {.calls = CallsOfWaits(stacks, code, vertex, removed),
                     .functions = functions.whole};
    if (runs.empty() || (way.calls.empty() && way.functions.empty())) continue;
    const double share =
        SamplesIn(runs) < kFewestRunSamples ? 0 : ShareOn(way, runs, code, StackSide::kRunning);
    Way most = way;
    most.functions.insert(functions.joined.begin(), functions.joined.end());
    most.writes = std::any_of(way.calls.begin(), way.calls.end(), IsSync);
    const double share_at_most = ShareOn(most, runs, code, StackSide::kRunning);
    const auto samples = static_cast<double>(SamplesIn(runs));
    Path path = {.vertex = vertex,
                 .run_share = share,
                 .least_share = LeastIn({.calls = way.calls}, runs, code),
                 .most_share = MostShare(share_at_most, samples),
                 .own_share = 1 - MostShare(1 - OwnShare(most, runs, code), samples)};
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

namespace {

// An interrupted thread has no part in what the interrupt wakes.
std::vector<Path> PathsOfAllWakes(const StackSums& stacks, const Code& code) {
  struct Sums {
    double all_ns = 0, wakes_ns = 0;
    uint64_t samples = 0;
  };
  std::map<uint32_t, Sums> by_vertex;
  for (const StackSum& sum : stacks.all()) {
    if (sum.side != StackSide::kRunning) continue;
    Sums& its = by_vertex[sum.from];
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    its.all_ns += sum.estimate_ns;
    its.samples += sum.samples;
    if (IsInWake(path, code) && !IsInInterrupt(path, code)) its.wakes_ns += sum.estimate_ns;
  }
  std::vector<Path> paths;
  for (const auto& [vertex, its] : by_vertex) {
    if (its.samples < kFewestRunSamples || its.wakes_ns == 0) continue;
    const double share = its.wakes_ns / its.all_ns;
    paths.push_back({.vertex = vertex,
                     .run_share = share,
                     .least_share = share,
                     .most_share = MostShare(share, static_cast<double>(its.samples)),
                     .of_all_wakes = true});
  }
  return paths;
}

}  // namespace

std::vector<Path> WakePaths(const StackSums& stacks, const Code& code, uint32_t woken) {
  std::set<uint32_t> wakers;
  for (const StackSum& sum : stacks.all()) {
    if (sum.from == woken && sum.side == StackSide::kWaker) wakers.insert(sum.to);
  }
  std::vector<Path> paths;
  for (const uint32_t waker : wakers) {
    const std::span<const StackSum> runs = stacks.Of(waker, waker, StackSide::kRunning);
    WeighedCalls calls;
    calls.Add(stacks.Of(woken, waker, StackSide::kWaker), code, StackSide::kWaker);
    const double share = ShareOn({.calls = calls.Take()}, runs, code, StackSide::kRunning);
    if (SamplesIn(runs) < kFewestRunSamples || share == 0) continue;
    paths.push_back({.vertex = waker,
                     .run_share = share,
                     .least_share = share,
                     .most_share = MostShare(share, static_cast<double>(SamplesIn(runs)))});
  }
  for (Path& path : PathsOfAllWakes(stacks, code)) {
    if (!wakers.contains(path.vertex)) paths.push_back(std::move(path));
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
