// SPDX-License-Identifier: Apache-2.0
// Connections without packets: unix stream sockets, and pairs of pipes by which two processes talk
// both ways. Which end of each is the server, and what people call it.
//
// The server of a socket is the end that accepted the connection. Where neither did (socketpair),
// and for pipes, it is the end to which the first data went. Of pipes that is known only if one of
// the two processes began while it was recorded; else the one with the higher number serves, as
// programs begin their helpers. A pipe belongs to a connection if one
// process writes to it and one other process reads it, and the two have a pipe for the other way,
// too. A pipe that more processes share tells nobody whom its data are for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/connections.h"
#include "analyzer/timeline/flow_table.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

struct LocalConnection {
  LocalEnd client;
  LocalEnd server;
  // "unix:/run/postgresql/.s.PGSQL.5432", "unix socket of gunicorn", "pipe of sh → sort". As the
  // machine told it: clean it before it is shown.
  std::string service;
  bool is_pipe = false;  // of these two processes alone: another one would have pipes of its own
};

struct LocalConnections {
  std::vector<LocalConnection> connections;  // in order of their first messages
  absl::flat_hash_map<uint32_t, FlowPlace> place_of_flow;
  uint64_t pipes_left_out = 0;  // used by several processes, by one alone, or one way
};

// Of one node's messages, in the order of the timeline's row.
LocalConnections FindLocalConnections(std::span<const LocalMessage> messages,
                                      const FlowTable& flows, const Timeline& timeline);

// What was sent on a local connection.
struct LocalData {
  uint64_t time_ns = 0;  // when it could be read
  uint64_t bytes = 0;
  EntityId thread = kNobody;
  FlowPlace place;
};

// In order of (connection, time): a reader may answer before the call that sent to it has ended.
std::vector<LocalData> LocalDataOf(std::span<const LocalMessage> messages,
                                   const LocalConnections& connections);

}  // namespace gordian
