// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_clients.h"

#include <algorithm>
#include <set>
#include <utility>

namespace gordian {

namespace {

// Of an answer and of the question behind it.
struct Flights {
  double back_ns = 0;
  double there_ns = 0;
};

// Both together do not depend on how far clocks of the two nodes are off; the parts do.
Flights FlightsOf(const TokenTurn& turn) {
  const auto between = [](uint64_t from_ns, uint64_t to_ns) {
    return static_cast<double>(static_cast<int64_t>(to_ns - from_ns));
  };
  Flights flights = {.back_ns = between(turn.answered_ns, turn.client_from_ns),
                     .there_ns = between(turn.client_to_ns, turn.request->start_ns)};
  if (flights.back_ns >= 0 && flights.there_ns >= 0) return flights;
  const double both_ns = std::max(0.0, flights.back_ns + flights.there_ns);
  const bool is_back = flights.there_ns < 0;
  return {.back_ns = is_back ? both_ns : 0, .there_ns = is_back ? 0 : both_ns};
}

}  // namespace

TokenClients::TokenClients(const Timeline& timeline, const TokenTurns& turns,
                           std::span<const uint32_t> vertex_of_entity, const RunningCpus& cpus,
                           TokenDraft& draft)
    : timeline_(timeline),
      turns_(turns),
      cpus_(cpus),
      draft_(draft),
      permits_(timeline, turns, vertex_of_entity) {
  std::map<EntityId, std::set<uint32_t>> of_client;
  for (const TokenTurn& turn : turns.turns)
    of_client[turn.request->client].insert(turn.request->connection);
  for (const auto& [id, connections] : of_client) connections_[id] = connections.size();
}

void TokenClients::AddPermits() {
  ToldTokens& told = draft_.told();
  for (const auto& [vertex, count] : permits_.of_vertex()) {
    lock_of_vertex_[vertex] = told.locks.size();
    told.locks.push_back(
        {.place = static_cast<uint32_t>(told.model.seats.size()), .waiter = vertex});
    told.model.seats.push_back(
        {.vertex = vertex, .is_lock = true, .waiter = vertex, .count = count});
  }
}

bool TokenClients::IsOfOne(EntityId client) const { return connections_.at(client) == 1; }

void TokenClients::TellClient(const TokenTurn& turn) {
  const EntityId client = turn.request->client;
  if (client == kNobody) {
    draft_.Add(TokenDeed::kPause, kNobody,
               static_cast<double>(turn.request->start_ns - turn.answered_ns),
               TokenPause::kNetwork);
    return;
  }
  const bool is_elsewhere = turn.client_to_ns > 0;
  const Flights flights = is_elsewhere ? FlightsOf(turn) : Flights();
  if (is_elsewhere) draft_.AddFlight(turn.request->thread, client, flights.back_ns);
  const uint64_t from_ns = is_elsewhere ? turn.client_from_ns : turn.answered_ns;
  const uint64_t to_ns = is_elsewhere ? turn.client_to_ns : turn.request->start_ns;
  SeatsSeen& seats = draft_.SeatsOf(client);
  draft_.Add(TokenDeed::kTake, client).place = seats.place;
  ++seats.takes;
  // Its waits behind the first one, which is for this answer or for another one.
  uint64_t waited_ns = 0;
  uint64_t ran_ns = 0;
  bool has_run = false;
  const auto permit = lock_of_vertex_.find(draft_.VertexOf(client));
  LockSeen* const lock = permit != lock_of_vertex_.end() && !is_elsewhere && IsOfOne(client)
                             ? &draft_.told().locks[permit->second]
                             : nullptr;
  bool is_woken = false;  // with the permit
  works_behind_ns_ = 0;
  for (SegmentCursor at = timeline_.SegmentsFrom(client, from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    const uint64_t begin_ns = std::max(from_ns, at.start_ns());
    const uint64_t end_ns = std::min(to_ns, at.end_ns());
    if (begin_ns >= end_ns) continue;
    if (at.segment().kind == SegmentKind::kRun) {
      has_run = true;
      is_woken = false;
      ran_ns += end_ns - begin_ns;
    }
    if (at.segment().kind == SegmentKind::kRunnable && !has_run) {
      seats.wake_ns +=
          static_cast<double>(cpus_.IdleBetween(draft_.NodeOf(client), begin_ns, end_ns));
    }
    if (at.segment().kind == SegmentKind::kRunnable && is_woken)
      lock->wake_ns +=
          static_cast<double>(cpus_.IdleBetween(draft_.NodeOf(client), begin_ns, end_ns));
    if (at.segment().kind != SegmentKind::kWait || !has_run) continue;
    if (lock != nullptr && permits_.IsForPermit(client, at.segment())) {
      works_behind_ns_ += static_cast<double>(std::exchange(ran_ns, 0));
      ++lock->waits;
      is_woken = true;
    } else {
      waited_ns += end_ns - begin_ns;
    }
  }
  // What it does behind its question is on nobody's way. Of many connections its CPU time is shared
  // out evenly: it works for others meanwhile.
  const double run_ns = IsOfOne(client) ? static_cast<double>(ran_ns)
                                        : static_cast<double>(timeline_.entities()[client].run_ns) /
                                              static_cast<double>(turns_.asked_by.at(client));
  seats.run_ns += run_ns + works_behind_ns_;
  if (IsOfOne(client) && waited_ns > 0)
    draft_.Add(TokenDeed::kPause, client, static_cast<double>(waited_ns), TokenPause::kTimer);
  if (lock != nullptr) draft_.Add(TokenDeed::kTake, client).place = lock->place;
  TokenStep& run = draft_.Add(TokenDeed::kRun, client, run_ns);
  run.place = draft_.NodeOf(client);
  draft_.Add(TokenDeed::kGive, client).place = seats.place;
  if (is_elsewhere) draft_.AddFlight(client, turn.request->thread, flights.there_ns);
}

// The next turn's work until the wake, as others wait for that, too.
void TokenClients::GivePermitBack(const TokenTurn& turn) {
  const EntityId client = turn.request->client;
  const auto permit = lock_of_vertex_.find(draft_.VertexOf(client));
  if (permit == lock_of_vertex_.end() || turn.client_to_ns > 0 || !IsOfOne(client)) return;
  draft_.Add(TokenDeed::kGive, client, works_behind_ns_).place =
      draft_.told().locks[permit->second].place;
}

}  // namespace gordian
