// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_helpers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/token_miss.h"

namespace gordian {
namespace {

// Share of their time at work for requests. Threads with less are no limit until the rate is twenty
// times as high.
constexpr double kHardlyAtWork = 0.05;

bool IsWork(const TokenStep& step) {
  return (step.deed == TokenDeed::kRun || step.deed == TokenDeed::kPause) && !step.in_lock;
}

// The place of a vertex' own threads, if it has one.
uint32_t SeatsOf(const TokenModel& model, uint32_t vertex) {
  for (uint32_t place = 0; place < model.seats.size(); ++place) {
    const TokenSeats& seats = model.seats[place];
    if (seats.vertex == vertex && !seats.is_pool && !seats.is_lock && !seats.is_clock) return place;
  }
  return kNoTokenPlace;
}

// Whose seats the request has, as one goes through its steps.
class SeatsHeld {
 public:
  explicit SeatsHeld(const TokenModel& model) : model_(model) {}
  void Pass(const TokenStep& step) {
    if (step.deed != TokenDeed::kTake && step.deed != TokenDeed::kGive) return;
    const uint32_t vertex = model_.seats[step.place].vertex;
    if (SeatsOf(model_, vertex) != step.place) return;
    held_[vertex] += step.deed == TokenDeed::kTake ? 1 : -1;
  }
  bool Has(uint32_t vertex) const {
    const auto held = held_.find(vertex);
    return held != held_.end() && held->second > 0;
  }
  // Of these vertices: places.
  std::vector<uint32_t> OfAny(const std::set<uint32_t>& vertices) const {
    std::vector<uint32_t> places;
    for (const uint32_t vertex : vertices)
      if (Has(vertex)) places.push_back(SeatsOf(model_, vertex));
    return places;
  }

 private:
  const TokenModel& model_;
  std::map<uint32_t, int> held_;
};

// Share of their time that those threads are at work for requests. More than all of it is not: some
// of that time a request stood behind another one there.
double AtWork(const TokenModel& model, const TokenHelper& helper) {
  double time_ns = 0;
  for (const TokenStep& step : model.steps)
    if (step.who == helper.vertex && IsWork(step)) time_ns += step.ns;
  return time_ns / static_cast<double>(model.requests()) * model.recorded_rate / 1e9 /
         helper.threads;
}

}  // namespace

std::vector<TokenHelper> HelpersOf(const TokenModel& model, const std::vector<uint32_t>& threads) {
  std::map<uint32_t, double> work_ns;
  for (size_t request = 0; request < model.requests(); ++request) {
    SeatsHeld held(model);
    for (const TokenStep& step : model.StepsOf(request)) {
      held.Pass(step);
      if (step.who < threads.size() && IsWork(step) && !held.Has(step.who))
        work_ns[step.who] += step.ns;
    }
  }
  // Clients are who comes, and what they do between questions is no line that others stand in.
  for (const uint32_t asker : model.askers) work_ns.erase(asker);
  std::vector<TokenHelper> helpers;
  for (const auto& [vertex, time_ns] : work_ns) {
    const double at_work =
        time_ns / static_cast<double>(model.requests()) * model.recorded_rate / 1e9;
    if (threads[vertex] < model.population && at_work > kHardlyAtWork * threads[vertex])
      helpers.push_back({vertex, threads[vertex]});
  }
  return helpers;
}

TokenModel WithHelper(const TokenModel& model, const TokenHelper& helper,
                      const std::set<uint32_t>& given) {
  TokenModel made = model;
  uint32_t place = SeatsOf(model, helper.vertex);
  if (place == kNoTokenPlace) {
    place = static_cast<uint32_t>(made.seats.size());
    made.seats.push_back({.vertex = helper.vertex});
  }
  made.seats[place].count = helper.threads;
  const double at_most = 1 / std::max(1.0, AtWork(model, helper));
  made.steps.clear();
  made.first = {0};
  for (size_t request = 0; request < model.requests(); ++request) {
    SeatsHeld held(model);
    bool works = false;
    const auto pass_all = [&](TokenDeed deed) {
      for (const uint32_t seat : held.OfAny(given))
        made.steps.push_back({.deed = deed, .place = seat, .who = model.seats[seat].vertex});
    };
    const auto pass = [&](TokenDeed deed) {
      if (deed == TokenDeed::kTake) pass_all(TokenDeed::kGive);
      made.steps.push_back({.deed = deed, .place = place, .who = helper.vertex});
      if (deed == TokenDeed::kGive) pass_all(TokenDeed::kTake);
      works = deed == TokenDeed::kTake;
    };
    for (const TokenStep& step : model.StepsOf(request)) {
      const bool needs = IsWork(step) && step.who == helper.vertex && !held.Has(helper.vertex);
      if (needs != works) pass(works ? TokenDeed::kGive : TokenDeed::kTake);
      held.Pass(step);
      made.steps.push_back(step);
      if (step.who == helper.vertex && IsWork(step)) made.steps.back().ns *= at_most;
    }
    if (works) pass(TokenDeed::kGive);
    made.EndRequest();
  }
  return made;
}

void SettleHelpers(const std::vector<uint32_t>& threads, const std::set<uint32_t>& event_loops,
                   const GivenWork& given_work, TokenModel& model) {
  for (const TokenHelper& helper : HelpersOf(model, threads)) {
    if (event_loops.contains(helper.vertex)) continue;
    const double miss = MissOf(model);
    std::set<uint32_t> given;
    for (const auto& [woken, waker] : given_work)
      if (waker == helper.vertex) given.insert(woken);
    TokenModel with = WithHelper(model, helper, given);
    if (MissOf(with) <= miss + kClearlyNearerTokens) model = std::move(with);
  }
}

}  // namespace gordian
