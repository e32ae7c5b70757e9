// SPDX-License-Identifier: Apache-2.0
// The requests of a recording's root port, each with its client's turn before it. Inner to the
// library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/open_requests.h"
#include "requests/requests.h"

namespace gordian {

struct TokenTurn {
  const Request* request = nullptr;
  uint64_t answered_ns = 0;  // the request before it on the same connection
  // If its client is on another node: when that answer came there, and when the request left.
  uint64_t client_from_ns = 0;
  uint64_t client_to_ns = 0;  // 0: not known
  std::vector<RequestStep> way;
};

struct TokenTurns {
  uint16_t port = 0;      // of a phase: 0
  bool of_phase = false;  // the root is one
  std::string service;    // what it is called: "port 80", a local service's name, "phase get"
  std::vector<TokenTurn> turns;  // of the root port, in order of their answers
  uint64_t requests = 0;         // of the root port, with the first ones of connections
  uint64_t followed = 0;         // … in the stretches that were looked at
  uint32_t population = 0;       // connections at a time
  double closed_share = 0;       // of the time with so many requests open, or …
  // … of the time between requests in which their client was at work, woken, or still served.
  double served_on_share = 0;  // of the clients' time from a question to the next one: they wait
                               // for more of the server behind its answer
  std::map<EntityId, uint16_t> port_of_server;  // threads that answer, of all ports
  std::map<uint16_t, uint32_t> open_at_once;    // by port: in 98 % of the time no more
  std::map<uint16_t, EntityId> asker_of;        // by port: the first that is known
  std::set<uint16_t> never_full;                // ports: of most of the time fewer were open
  std::map<uint16_t, std::vector<OpenStretch>> full_when;  // all other ports
  std::set<EntityId> on_one_connection;                    // threads that answer on that alone
  std::set<uint16_t> asked_by_each;  // ports: each thread that asks there has its own connection
  std::set<uint16_t> private_ports;  // of helpers, each with the connection to who began it
  // The root's servers had more questions of their own open than requests: a connection carries
  // several requests at a time (streams of HTTP/2), or each asks for several things at once. In
  // packets both look alike.
  bool may_carry_several = false;
  std::map<EntityId, uint64_t> asked_by;  // how many of the root's requests, by client
  std::vector<EntityId> clients;          // also of halves that do not count
};

// In place of requests to a port: what threads say that they work on, by one name.
struct PhasesAsRoot {
  std::span<const Request> phases;  // each thread is the client of its own
  std::string_view name;
};

// Clients whose requests wait for other clients of the root are halves of the same cycle: of these
// only the requests that are open for longest count. `vertex_of_entity` as in MergedGraph.
TokenTurns TurnsOfRoot(const Timeline& timeline, const FoundRequests& found,
                       const RequestWalk& walk, std::span<const uint32_t> vertex_of_entity,
                       const PhasesAsRoot& root = {});

}  // namespace gordian
