// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_pace.h"

#include <algorithm>
#include <limits>
#include <map>

namespace gordian {
namespace {

// Share of the requests that are seen to leave by a timer, and of these, of those that stood there
// with others. Fewer show no line.
constexpr double kMostLeave = 0.5;
// Share of the steps from one to the next that are from half to three halves of the median.
// Requests that leave at random times have 35 %, those of a metronome all of them.
constexpr double kEvenSteps = 0.67;

struct TimedWait {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

bool IsTimedWait(const RequestStep& step) {
  return step.kind == RequestStepKind::kTimer && step.for_events;
}

// From one that left to the next, of those that stood there already.
std::vector<uint64_t> StepsInLine(const std::vector<TimedWait>& waits) {
  std::vector<uint64_t> steps;
  for (size_t i = 1; i < waits.size(); ++i)
    if (waits[i].from_ns <= waits[i - 1].to_ns)
      steps.push_back(waits[i].to_ns - waits[i - 1].to_ns);
  return steps;
}

// `waits` in order of their ends.
double AnyOf(const std::vector<TimedWait>& waits) {
  uint64_t any_ns = 0;
  uint64_t before_ns = std::numeric_limits<uint64_t>::max();  // … which all that follows ends
  for (size_t i = waits.size(); i-- > 0;) {
    const uint64_t to_ns = std::min(waits[i].to_ns, before_ns);
    if (waits[i].from_ns >= to_ns) continue;
    any_ns += to_ns - waits[i].from_ns;
    before_ns = waits[i].from_ns;
  }
  return static_cast<double>(any_ns);
}

}  // namespace

bool AreEvenSteps(std::vector<uint64_t> steps_ns) {
  const auto middle = steps_ns.begin() + static_cast<std::ptrdiff_t>(steps_ns.size() / 2);
  std::nth_element(steps_ns.begin(), middle, steps_ns.end());
  const uint64_t median_ns = *middle;
  const auto even = std::count_if(steps_ns.begin(), steps_ns.end(), [&](uint64_t step_ns) {
    return 2 * step_ns >= median_ns && 2 * step_ns <= 3 * median_ns;
  });
  return median_ns > 0 &&
         static_cast<double>(even) >= kEvenSteps * static_cast<double>(steps_ns.size());
}

std::vector<PacedLoop> PacedLoops(const TokenTurns& turns,
                                  std::span<const uint32_t> vertex_of_entity,
                                  const std::set<uint32_t>& event_loops) {
  std::map<uint32_t, std::vector<TimedWait>> waits_of;
  for (const TokenTurn& turn : turns.turns) {
    std::set<uint32_t> seen;  // the last wait counts
    for (size_t i = turn.way.size(); i-- > 0;) {
      const RequestStep& step = turn.way[i];
      if (!IsTimedWait(step) || step.thread >= vertex_of_entity.size()) continue;
      const uint32_t vertex = vertex_of_entity[step.thread];
      if (event_loops.contains(vertex) && seen.insert(vertex).second)
        waits_of[vertex].push_back({step.from_ns, step.to_ns});
    }
  }
  std::vector<PacedLoop> paced;
  for (auto& [vertex, waits] : waits_of) {
    std::sort(waits.begin(), waits.end(),
              [](const TimedWait& a, const TimedWait& b) { return a.to_ns < b.to_ns; });
    const std::vector<uint64_t> steps = StepsInLine(waits);
    const auto leave = static_cast<double>(waits.size());
    const bool is_line = leave >= kMostLeave * static_cast<double>(turns.turns.size()) &&
                         static_cast<double>(steps.size()) >= kMostLeave * leave && !steps.empty();
    if (is_line && AreEvenSteps(steps)) paced.push_back({vertex, AnyOf(waits)});
  }
  return paced;
}

TokenModel WithPace(const TokenModel& model, uint32_t vertex, double each_ns) {
  TokenModel made = model;
  // A line of its own: more threads of the loop's do not shorten it.
  const auto place = static_cast<uint32_t>(made.seats.size());
  made.seats.push_back({.count = 1});
  made.steps.clear();
  made.first = {0};
  for (size_t request = 0; request < model.requests(); ++request) {
    for (TokenStep step : model.StepsOf(request)) {
      const bool is_timer = step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer;
      if (is_timer && step.who == vertex) step.ns = 0;
      made.steps.push_back(step);
      if (step.deed != TokenDeed::kAsk) continue;
      made.steps.push_back({.deed = TokenDeed::kTake, .place = place});
      made.steps.push_back(
          {.deed = TokenDeed::kPause, .pause = TokenPause::kTimer, .who = vertex, .ns = each_ns});
      made.steps.push_back({.deed = TokenDeed::kGive, .place = place});
    }
    made.EndRequest();
  }
  return made;
}

}  // namespace gordian
