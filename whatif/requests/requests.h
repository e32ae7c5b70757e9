// SPDX-License-Identifier: Apache-2.0
// A replay of requests: tokens that visit threads, disks and pauses, where today's replay has the
// recorded steps of threads. docs/design-token-replay.md describes the model.
//
//   recorded requests (plain values) -> simulation, unchanged and changed -> rates
//
// A token takes a recorded request at random, whole, and goes through its steps. It queues anew for
// all that is scarce: seats (threads, connections of a pool), CPUs, disks. It asks again once it is
// answered. So the rate follows from the requests alone, as in a closed network of queues.
//
// Deterministic. Nothing here knows of recordings: a model may be made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/edit/edit.h"
#include "whatif/requests/thresholds.h"

namespace gordian {

inline constexpr uint32_t kNoTokenPlace = std::numeric_limits<uint32_t>::max();
inline constexpr uint32_t kEndlessSeats = std::numeric_limits<uint32_t>::max();
inline constexpr uint32_t kNoTokenVertex = std::numeric_limits<uint32_t>::max();

enum class TokenDeed : uint8_t {
  kTake,    // a seat of `place`, in order of arrival
  kGive,    // it back, once its thread has run for another `ns`: the token does not wait for that
  kRun,     // for `ns` of CPU time on the node `place`
  kDisk,    // an operation of the disk `place`
  kPause,   // nothing is scarce
  kAsk,     // the response time begins
  kAnswer,  // … and ends; the token asks again, the steps behind go on by themselves
};

// What a pause was for. kWake of kRun: CPU time that a sleep before it costs.
enum class TokenPause : uint8_t { kOther, kWake, kTimer, kNetwork, kDisk, kRun };

struct TokenStep {
  TokenDeed deed = TokenDeed::kPause;
  TokenPause pause = TokenPause::kOther;
  bool in_lock = false;  // a pause: a part of a wait for a lock, told by what its holder did
  // A wake, or CPU time for sleeping, behind a wait for a lock: there are as many as such waits.
  bool behind_lock = false;
  // Between two waits for that lock: it was woken, found it taken, and waited again.
  uint32_t looks_for = kNoTokenPlace;
  bool goes_on = false;  // kDisk, kRun: the token does not wait for it
  uint32_t place = 0;
  uint32_t who = kNoTokenVertex;  // who does it; of a part of a wait for a lock: its holder
  // Of pauses: the disk, or the link, that they are for; or who ended an event loop's sleep.
  uint32_t whom = kNoTokenVertex;
  double ns = 0;
};

// A token that finds the seat free first wakes its thread. Of a lock it is the other way round:
// who had to wait for it is woken, and holds it meanwhile.
struct TokenSeats {
  uint32_t vertex = kNoTokenVertex;   // whose threads; of a pool: who asks over it; of a lock: who
                                      // holds it
  bool is_pool = false;               // of connections
  std::vector<uint32_t> more_askers;  // of a pool, beside `vertex`
  bool of_each = false;               // a pool: each thread that asks has a connection of its own
  bool is_private = false;            // a pool: with each helper that is begun there is one more
  bool is_lock = false;
  // A line in which requests of those threads wait for their timer, before they ask. What else they
  // have under way at once does not matter to it.
  bool is_clock = false;
  // Threads that are never idle: a change of what they have under way at once is one of their
  // seats.
  bool is_full = false;
  uint32_t waiter = kNoTokenVertex;  // of a lock
  // A lock that later requests of the same client give back: how long it is held is not known.
  bool outlives_requests = false;
  // A lock: who is woken holds it at once. Otherwise it is free, and who runs first gets it.
  bool is_handed = false;
  // The first in line works for all who stand there with it: they go on where they give it back.
  bool is_grouped = false;
  uint32_t count = kEndlessSeats;
  // Not 0: connections, or who serves them, of which so many were in use at most, but rarely. How
  // many there may be is not known, and `count` is endless.
  uint32_t seen = 0;
  uint32_t node = 0;
  double wake_ns = 0;       // from the wake to running, on an idle CPU
  double wake_run_ns = 0;   // CPU time of the wake
  double sleep_run_ns = 0;  // CPU time of going to sleep, once no token stands in line
  bool grows = false;       // there is one for each token, as with a thread for each connection
  uint32_t one_each_of = kNoTokenPlace;  // a pool: there is one for each of its connections
};

struct TokenDisk {
  uint32_t vertex = kNoTokenVertex;
  uint32_t slots = 1;
  bool stores = false;  // most of its operations do: a flush stores what all wrote before
  // Flushes: one at a time, and those that come meanwhile share the next one.
  bool is_grouped = false;
  // Operations that go on behind their tokens, at most. Before the next one its token waits.
  uint32_t most_behind = 0;
};

struct TokenNode {
  double all = 1;   // CPUs
  double cpus = 1;  // of them, left over by programs that serve no request
};

struct TokenModel {
  std::vector<TokenSeats> seats;
  std::vector<TokenDisk> disks;
  std::vector<TokenNode> nodes;
  std::vector<size_t> first = {0};  // of each request, in `steps`, and their number behind
  std::vector<TokenStep> steps;     // of one request after the other, in order of time
  uint32_t population = 1;
  // Each server has a connection of its own to who began it, as helpers behind pipes do: one more
  // is one more token, if there are clients for it.
  bool is_private = false;
  // Vertices that ask. More requests of theirs are more tokens.
  std::vector<uint32_t> askers;
  // CPU time that a wait for a disk costs its thread, from requests that did not wait.
  double disk_wait_run_ns = 0;
  double closed_share = 1;  // of the time with so many requests open
  // Of a client's time from a question to the next one: it waits for what comes behind the answer.
  double served_on_share = 0;
  // Of a connection, at a time; or each request asks for several things at once. Then the
  // population may be larger than the number of connections.
  bool may_carry_several = false;
  double recorded_rate = 0;  // requests per second
  double recorded_response_ns = 0;
  uint16_t port = 0;    // of the server that nothing recorded asks
  std::string service;  // what it is called: "port 80", or a local service's name

  size_t requests() const { return first.size() - 1; }
  std::span<const TokenStep> StepsOf(size_t request) const {
    return std::span(steps).subspan(first[request], first[request + 1] - first[request]);
  }
  void EndRequest() { first.push_back(steps.size()); }
};

struct TokenRates {
  double rate = 0;         // answers per second
  double response_ns = 0;  // on average
  double open = 0;         // requests at a time, on average
  double cpus_busy = 0;    // the most of any node, of the CPUs it has
  bool is_stuck = false;   // tokens wait for each other's seats for ever
  // By Little's law the requests at a time are the rate times the response time: how far off.
  double LittleMiss() const;
};

// `answers` are counted, after a warm-up. The same seed gives the same requests in the same order.
TokenRates PlayTokens(const TokenModel& model, uint64_t answers, uint64_t seed = 1);

// Nothing if a change is not known here.
std::optional<TokenModel> ChangedTokens(const TokenModel& model, const Changes& changes,
                                        bool with_path);

struct TokenGain {
  TokenRates before;  // of the simulation, with nothing changed
  TokenRates after;
  double low = 1;
  double high = 1;
  double expected = 1;
  double self_check = 0;  // the greater miss of rate and response time, of the nearest reading
  double chance = 0;      // 19 times of 20, from eight parts of the recording
  // More requests at a time fill the CPUs. Programs that find several requests at once save CPU
  // time around them, which no recording with fewer of them holds.
  bool at_least = false;
};

// The recording leaves some things open: whether a lock is handed over, whether writes of a disk
// share its flushes, what CPU time goes with a wait. The reading that gives the recorded rate and
// response time best is the one between, and all others that give them are within low and high.
//
// FailedPrecondition, with the reason as a sentence's end, if it must stay silent: few requests, an
// open loop, a miss of more than kMostTokenMiss, a change it does not know.
absl::StatusOr<TokenGain> GainOfTokens(const TokenModel& model, const Changes& changes);

// Whether that answer counts, rather than an interval from another replay. With a poor self-check
// the narrower interval does: both hold what their replays do not know.
bool AnswersSurer(const TokenGain& gain, double low, double high);

// The law of costs: CPU time of a visit as a sum of one part for each visit and one for each stop.
struct VisitCost {
  double run_ns = 0;
  std::vector<double> stops;  // by kind: sleeps, waits for a disk …
};
// The cost of each kind of stop, never negative; nothing for a kind that all visits have equally
// often, as there is nothing to compare. Robust: visits far off count less (Huber's weights).
std::vector<std::optional<double>> CostsOfStops(std::span<const VisitCost> visits);

}  // namespace gordian
