// SPDX-License-Identifier: Apache-2.0
// From stacks: the cost of sleeping and of waking, and the threads that wait in loops for events of
// any kind.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "whatif/paths/calls_of_stacks.h"
#include "whatif/paths/paths.h"

namespace gordian {
namespace {

// Not if it is only another thread's turn, on the way back from the kernel.
bool GoesToSleep(const CodePath& path, const Code& code) {
  return HasKernelFrame(path, code, "schedule") && !HasKernelFrame(path, code, "exit_to_user") &&
         !HasKernelFrame(path, code, "sched_yield");
}

bool WaitsForAnything(const CodePath& path, const Code& code) {
  static constexpr std::string_view kParts[] = {"_epoll_",   "ep_poll", "_poll_",        "sys_poll",
                                                "sys_ppoll", "select",  "io_cqring_wait"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return HasKernelFrame(path, code, part); });
}

std::vector<SleepCost> CostsOf(const StackSums& stacks, const Code& code, uint32_t vertex) {
  const std::span<const StackSum> runs = stacks.Of(vertex, vertex, StackSide::kRunning);
  if (SamplesIn(runs) < kFewestRunSamples) return {};
  WeighedCalls waits(0), wakes(0);
  for (const StackSum& sum : stacks.all()) {
    if (sum.side == StackSide::kWaiter && sum.from == vertex)
      waits.Add(std::span(&sum, 1), code, StackSide::kWaiter);
  }
  // The stack does not always show a wake over a socket, so its place on a CPU does.
  for (const StackSum& sum : runs) {
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    if (IsInWake(path, code) && !IsInInterrupt(path, code))
      wakes.Add(std::span(&sum, 1), code, StackSide::kRunning);
  }
  const std::set<std::string> waiting_calls = waits.Take(), waking_calls = wakes.Take();
  SleepCost sleeping = {.vertex = vertex}, waking = {.vertex = vertex, .of_waking = true};
  double all_ns = 0;
  for (const StackSum& sum : runs) {
    const CodePath path = code.PathOf(sum.stack_id, StackSide::kRunning);
    const std::string call = CallOf(path, code, 0);
    const double time_ns = sum.estimate_ns;
    all_ns += time_ns;
    const bool sleeps = GoesToSleep(path, code), wakes_others = !sleeps && IsInWake(path, code);
    if (sleeps) sleeping.switch_share += time_ns;
    if (wakes_others) waking.switch_share += time_ns;
    if (sleeps || waiting_calls.count(call) > 0) {
      sleeping.call_share += time_ns;
    } else if (wakes_others || waking_calls.count(call) > 0) {
      waking.call_share += time_ns;
    }
  }
  for (SleepCost* cost : {&sleeping, &waking}) {
    cost->switch_share /= all_ns;
    cost->call_share /= all_ns;
  }
  return {sleeping, waking};
}

}  // namespace

std::vector<SleepCost> SleepCosts(const StackSums& stacks, const Code& code) {
  std::set<uint32_t> vertices;
  for (const StackSum& sum : stacks.all()) {
    if (sum.side == StackSide::kRunning) vertices.insert(sum.from);
  }
  std::vector<SleepCost> costs;
  for (const uint32_t vertex : vertices) {
    for (const SleepCost& cost : CostsOf(stacks, code, vertex)) costs.push_back(cost);
  }
  return costs;
}

std::vector<LoopShare> LoopShares(const StackSums& stacks, const Code& code) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> times;  // all, in loops
  for (const StackSum& sum : stacks.all()) {
    if (sum.side != StackSide::kWaiter) continue;
    auto& [all_ns, in_loops_ns] = times[{sum.from, sum.to}];
    all_ns += sum.estimate_ns;
    if (WaitsForAnything(code.PathOf(sum.stack_id, StackSide::kWaiter), code))
      in_loops_ns += sum.estimate_ns;
  }
  std::vector<LoopShare> shares;
  for (const auto& [edge, its] : times) {
    if (its.first > 0) shares.push_back({edge.first, edge.second, its.second / its.first});
  }
  return shares;
}

}  // namespace gordian
