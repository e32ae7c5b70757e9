// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_clock.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/token_miss.h"
#include "analysis/token_pace.h"
#include "requests/sent_by_clock.h"

namespace gordian {
namespace {

// Share of a client's requests. With fewer something else lets it ask mostly.
constexpr double kMostlyByClock = 0.5;

struct Sent {
  std::set<uint32_t> connections;
  std::vector<uint64_t> times_ns;
  size_t by_clock = 0;
};

bool IsOfClient(std::span<const TokenStep> steps, uint32_t vertex) {
  const auto asked = std::find_if(steps.begin(), steps.end(), [](const TokenStep& step) {
    return step.deed == TokenDeed::kAsk;
  });
  return std::any_of(steps.begin(), asked, [vertex](const TokenStep& step) {
    return step.deed == TokenDeed::kRun && step.who == vertex;
  });
}

}  // namespace

std::vector<ClockedClient> ClockedClients(const Timeline& timeline, const TokenTurns& turns,
                                          std::span<const uint32_t> vertex_of_entity) {
  std::map<EntityId, Sent> sent;
  for (const TokenTurn& turn : turns.turns) {
    const EntityId client = turn.request->client;
    if (client >= vertex_of_entity.size() || turn.client_to_ns > 0) continue;
    Sent& its = sent[client];
    its.connections.insert(turn.request->connection);
    its.times_ns.push_back(turn.request->start_ns);
    its.by_clock += IsSentByClock(timeline, client, turn.request->start_ns) ? 1 : 0;
  }
  std::map<uint32_t, ClockedClient> clocked;
  std::set<uint32_t> others;
  for (auto& [client, its] : sent) {
    const uint32_t vertex = vertex_of_entity[client];
    std::sort(its.times_ns.begin(), its.times_ns.end());
    std::vector<uint64_t> steps;
    for (size_t i = 1; i < its.times_ns.size(); ++i)
      steps.push_back(its.times_ns[i] - its.times_ns[i - 1]);
    const bool is_mostly = static_cast<double>(its.by_clock) >=
                           kMostlyByClock * static_cast<double>(its.times_ns.size());
    if (its.connections.size() < 2 || !is_mostly || steps.empty() || !AreEvenSteps(steps)) {
      others.insert(vertex);
      continue;
    }
    ClockedClient& client_of = clocked[vertex];
    client_of.vertex = vertex;
    ++client_of.threads;
    client_of.requests += turns.asked_by.at(client);
  }
  std::vector<ClockedClient> all;
  for (const auto& [vertex, client] : clocked)
    if (!others.contains(vertex)) all.push_back(client);
  return all;
}

TokenModel WithClock(const TokenModel& model, const ClockedClient& client, double each_ns) {
  TokenModel made = model;
  const auto clock = static_cast<uint32_t>(made.seats.size());
  made.seats.push_back({.vertex = client.vertex, .is_clock = true, .count = client.threads});
  made.seats.push_back({.vertex = client.vertex, .is_pool = true, .seen = model.population});
  // A server with a thread for each connection has as many.
  for (TokenSeats& seats : made.seats)
    if (seats.grows && seats.count != kEndlessSeats)
      seats.seen = std::exchange(seats.count, kEndlessSeats);
  made.steps.clear();
  made.first = {0};
  for (size_t request = 0; request < model.requests(); ++request) {
    const std::span<const TokenStep> steps = model.StepsOf(request);
    const bool is_its = IsOfClient(steps, client.vertex);
    const auto add = [&](TokenDeed deed, uint32_t place) {
      if (is_its) made.steps.push_back({.deed = deed, .place = place});
    };
    add(TokenDeed::kTake, clock);
    if (is_its)
      made.steps.push_back({.deed = TokenDeed::kPause,
                            .pause = TokenPause::kTimer,
                            .who = client.vertex,
                            .ns = each_ns});
    add(TokenDeed::kGive, clock);
    add(TokenDeed::kTake, clock + 1);
    for (const TokenStep& step : steps) {
      if (step.deed == TokenDeed::kAnswer) add(TokenDeed::kGive, clock + 1);
      made.steps.push_back(step);
    }
    made.EndRequest();
  }
  return made;
}

void SettleClocks(std::span<const ClockedClient> clients, double span_ns, TokenModel& model) {
  for (const ClockedClient& client : clients) {
    const double miss = MissOf(model);
    if (miss <= kClearlyNearerTokens) return;
    TokenModel with = WithClock(
        model, client,
        span_ns * client.threads / static_cast<double>(std::max<uint64_t>(1, client.requests)));
    if (MissOf(with) < miss - kClearlyNearerTokens) model = std::move(with);
  }
}

}  // namespace gordian
