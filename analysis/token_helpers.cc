// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_helpers.h"

#include <map>
#include <utility>

#include "analysis/token_miss.h"

namespace gordian {
namespace {

// Share of their time at work for requests. Threads with less are no limit until the rate is twenty
// times as high.
constexpr double kHardlyAtWork = 0.05;

bool IsWorkOf(const TokenStep& step, uint32_t vertex) {
  return (step.deed == TokenDeed::kRun || step.deed == TokenDeed::kPause) && !step.in_lock &&
         step.who == vertex;
}

}  // namespace

std::vector<TokenHelper> HelpersOf(const TokenModel& model, const std::vector<uint32_t>& threads) {
  std::map<uint32_t, double> work_ns;
  for (const TokenStep& step : model.steps)
    if (step.who < threads.size() && IsWorkOf(step, step.who)) work_ns[step.who] += step.ns;
  for (const TokenSeats& seats : model.seats) work_ns.erase(seats.vertex);
  std::vector<TokenHelper> helpers;
  for (const auto& [vertex, time_ns] : work_ns) {
    const double at_work =
        time_ns / static_cast<double>(model.requests()) * model.recorded_rate / 1e9;
    if (threads[vertex] < model.population && at_work > kHardlyAtWork * threads[vertex])
      helpers.push_back({vertex, threads[vertex]});
  }
  return helpers;
}

TokenModel WithHelper(const TokenModel& model, const TokenHelper& helper) {
  TokenModel made = model;
  const auto place = static_cast<uint32_t>(made.seats.size());
  made.seats.push_back({.vertex = helper.vertex, .count = helper.threads});
  made.steps.clear();
  made.first = {0};
  for (size_t request = 0; request < model.requests(); ++request) {
    bool works = false;
    const auto pass = [&](TokenDeed deed) {
      made.steps.push_back({.deed = deed, .place = place, .who = helper.vertex});
      works = deed == TokenDeed::kTake;
    };
    for (const TokenStep& step : model.StepsOf(request)) {
      if (IsWorkOf(step, helper.vertex) != works) pass(works ? TokenDeed::kGive : TokenDeed::kTake);
      made.steps.push_back(step);
    }
    if (works) pass(TokenDeed::kGive);
    made.EndRequest();
  }
  return made;
}

void SettleHelpers(const std::vector<uint32_t>& threads, TokenModel& model) {
  for (const TokenHelper& helper : HelpersOf(model, threads)) {
    const double miss = MissOf(model);
    TokenModel with = WithHelper(model, helper);
    if (MissOf(with) <= miss + kClearlyNearerTokens) model = std::move(with);
  }
}

}  // namespace gordian
