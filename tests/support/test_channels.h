// SPDX-License-Identifier: Apache-2.0
// Unix sockets and pipes in recordings of tests.
#pragma once

#include <string>

#include "trace/trace_event.h"

namespace gordian::testing {

// Of a unix socket, from one end to the other, by their numbers.
inline FlowRecord SocketFlow(uint32_t flow_id, uint64_t source, uint64_t destination,
                             LocalServer server = LocalServer::kNotKnown, std::string name = "") {
  FlowRecord flow{.flow_id = flow_id};
  flow.source = AddressOf({.number = source, .inode = source + 1000});
  flow.destination = AddressOf({.number = destination, .inode = destination + 1000});
  flow.local = LocalChannel::kUnixSocket;
  flow.server = server;
  flow.name = std::move(name);
  return flow;
}

inline FlowRecord PipeFlow(uint32_t flow_id) {
  FlowRecord flow = SocketFlow(flow_id, flow_id, flow_id);
  flow.local = LocalChannel::kPipe;
  return flow;
}

inline LocalMessageEvent SentTo(uint32_t flow_id, int32_t tid, uint32_t bytes,
                                uint64_t since_ns = 0) {
  return {.since_ns = since_ns, .flow_id = flow_id, .bytes = bytes, .tid = tid, .sent = true};
}

inline LocalMessageEvent ReadFrom(uint32_t flow_id, int32_t tid, uint32_t bytes) {
  return {.flow_id = flow_id, .bytes = bytes, .tid = tid};
}

}  // namespace gordian::testing
