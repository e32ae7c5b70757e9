// SPDX-License-Identifier: Apache-2.0
// Units of work of a server, found from packets alone, and where the time of each went.
//
// On each TCP connection, unix stream socket, and pair of pipes the two ends take turns. A request
// is a turn and the one that answers it:
//   start     the first data towards the server reaches the server's machine
//   received  the last data of it that came before the answer began
//   answer    the first data back leaves the server's machine
//   end       the last data back, before the next request
// Its latency is answer - start. docs/design-requests.md has the reasons, and what this cannot see.
//
// Where its time went is told by steps, from its start to its answer without gaps: they add up to
// the latency, to the nanosecond. They are found backwards from the thread that sent the answer:
//   - Work came to a thread with the wake that ended a wait that had begun before the request came,
//     or with a wake by a thread that was seen to hand it work in this way. The steps before are
//     the waker's.
//   - All other waits of the thread are a part of the request. Such a wait is told by what it was
//     for, and by what the thread that ended it did meanwhile.
//   - What a thread did before it answered another request, without a wait for events in between,
//     was work on that one: this one stood behind it.
//   - While a request of its own to another server was open, and it slept, the request waited for
//     that server.
//
// Usage:
//   const FoundRequests found = FindRequests(timeline, flows, {.is_target = is_target});
//   const RequestWalk walk(timeline, found);
//   RequestStepCounts counts;
//   for (const Request& request : found.requests) Use(walk.StepsOf(request, counts));
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/flows/connections.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

inline constexpr uint32_t kNoRequest = 0xffffffff;

// As one node saw it.
struct RequestConnection {
  FlowTuple to_server;     // its source is the client; without a protocol: a local service
  uint32_t node = 0;       // Entity::node
  bool is_served = false;  // a thread of this node sent data back
  bool is_asked = false;   // a thread of this node sent data to the server
  // Between a program and its helper (requests/private_connections.h), or by pipes.
  bool is_private = false;
};

struct Request {
  uint32_t connection = kNoConnection;  // in FoundRequests; kNoConnection: a phase of its thread
  EntityId thread = kNobody;            // who sent the first data back; kNobody: not known
  EntityId client = kNobody;            // who sent the first data; kNobody: it was not recorded
  uint64_t start_ns = 0;
  uint64_t received_ns = 0;
  uint64_t answer_ns = 0;
  uint64_t end_ns = 0;
  uint64_t request_bytes = 0;  // payload
  uint64_t answer_bytes = 0;
  uint32_t parts = 1;     // in which its client sent it before the answer
  bool is_first = false;  // of its connection that was seen; the same ports may have another one
  uint64_t latency_ns() const { return answer_ns - start_ns; }
};

// What kept the search from being exact.
struct RequestCounts {
  uint64_t without_answer = 0;    // open when the recording, or their connection, ended
  uint64_t without_request = 0;   // turns of a server that nothing had asked for: pushes, greetings
  uint64_t in_several_parts = 0;  // data towards the server came again before the answer: a long
                                  // request, or several at once (pipelining), told as one
  uint64_t without_thread = 0;    // no thread sent on their connection: no steps
  uint64_t packets_without_flow = 0;  // whose connection was never described
  uint64_t pipes_left_out = 0;        // that hold no requests (analyzer/flows/local_connections.h)
  uint64_t passed_on = 0;  // connections that the kernel passed on with other addresses (NAT): only
                           // the one that the server itself knows counts
};

struct RequestSearch {
  std::span<const uint8_t> is_target;  // by thread; empty: all
  std::vector<uint16_t> ports;         // the servers' ports; empty: all
  uint64_t from_ns = 0;                // only requests that begin and are answered within
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
  int threads = 1;  // the result does not depend on it
  // Of all nodes. If there are more, requests are looked for only in eight stretches of the time,
  // evenly spread, that hold about so many: a busy server's minute has millions.
  uint64_t most_packets = std::numeric_limits<uint64_t>::max();
};

struct SearchedStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

struct FoundRequests {
  std::vector<RequestConnection> connections;
  // Those that were asked for, by answer.
  std::vector<Request> requests;
  // All others that threads of this recording answered or asked, likewise: what a thread did for
  // them is no part of a request.
  std::vector<Request> others;
  RequestCounts counts;
  // Servers on unix sockets and pipes, and those that share their port with a server that asks them
  // (a front end and its back end), by the number that stands for their port: no TCP server of the
  // recording has it. As the machine told them: clean them before they are shown.
  std::map<uint16_t, std::string> local_services;
  // In which requests were looked for, in order; empty: all of the time was.
  std::vector<SearchedStretch> stretches;
  double share = 1;  // of the time
  // When the stretch begins that holds this time; 0 if all of the time was looked at.
  uint64_t StretchOf(uint64_t time_ns) const;
};

// `flows_of_node`: what flow ids mean, by node (analysis/recorded_flows.h).
FoundRequests FindRequests(const Timeline& timeline, std::span<const FlowTable> flows_of_node,
                           const RequestSearch& search);

enum class RequestStepKind : uint8_t {
  kRun,        // on a CPU
  kRunnable,   // ready for a CPU, without one
  kBehind,     // its thread worked on other requests
  kDisk,       // waits …
  kLock,       // for a lock, or a futex of another kind
  kThread,     // for another thread by any other means
  kPeer,       // for another server's answer, or for the rest of the request
  kNetwork,    // for a packet on its way, or its delivery
  kTimer,      // until a time of its own
  kInterrupt,  // for an interrupt
  kUnknown     // a hole of the recording, or a wait whose end has no known cause
};
inline constexpr size_t kRequestStepKinds = 11;
inline constexpr std::array<std::string_view, kRequestStepKinds> kRequestStepNames = {
    "run",  "runnable", "behind", "disk",      "lock",   "thread",
    "peer", "network",  "timer",  "interrupt", "unknown"};

struct RequestStep {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // later
  RequestStepKind kind = RequestStepKind::kUnknown;
  // kLock, kThread, kPeer: what the thread that was waited for did; kBehind: what the busy thread
  // did; else the same as `kind`. kLock of a kLock: others held it.
  RequestStepKind cause = RequestStepKind::kUnknown;
  EntityId thread = kNobody;        // whose turn it was
  EntityId waits_for = kNobody;     // thread or device; kBehind: the busy thread
  EntityId cause_thread = kNobody;  // who did what `cause` tells
  uint32_t asked = kNoConnection;   // kPeer: the connection to that server
  // A wait for events of any kind: its thread may work for others meanwhile. kPeer: what the
  // server's thread waited for.
  bool for_events = false;
  // kPeer of a kPeer: what the server did that was asked last, and who. `cause_thread` answered.
  RequestStepKind inner = RequestStepKind::kUnknown;
  EntityId inner_thread = kNobody;
};

struct RequestStepCounts {
  uint64_t cut_short = 0;        // requests with more than kMostRequestSteps: the rest is unknown
  uint64_t causes_asleep = 0;    // waits whose waker slept itself: unknown
  uint64_t by_likeness = 0;      // waits without a sample, told like most others of their thread
  uint64_t not_known = 0;        // … of a thread without any sample of a wait
  uint64_t nested_too_deep = 0;  // waits within waits beyond kMostNestedWaits: unknown
  RequestStepCounts& operator+=(const RequestStepCounts& other);
};

// A request that a busy machine preempts all the time has many. More are no answer for people, and
// a thousand requests that are open for seconds would cost minutes.
inline constexpr size_t kMostRequestSteps = 100'000;
// A holder of a lock waits for another lock, and so on. Real chains are far shorter; two threads
// that seem to wait for each other must end somewhere.
inline constexpr int kMostNestedWaits = 32;

class RequestWalk {
 public:
  // Both must outlive it.
  RequestWalk(const Timeline& timeline, const FoundRequests& found);
  ~RequestWalk();

  // In order of time, from its start to its answer; none if its thread is not known. May be called
  // from several threads.
  std::vector<RequestStep> StepsOf(const Request& request, RequestStepCounts& counts) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace gordian
