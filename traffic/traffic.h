// SPDX-License-Identifier: Apache-2.0
// How much each node or process sends to which other, from the packets in recordings alone.
//
// One pass over each node's events in the order of their time. Memory does not grow with the
// recording's length: at most kMostFlows flows are told apart on a node, and at most kMostCells
// amounts (of one flow, in one span of time, by one process) are kept; the rest is counted
// together. Besides there is an entry for each process that was seen.
//
// A flow is one direction: addresses, ports, protocol. One that several interfaces or nodes saw
// counts once: as its sender's node recorded it, else as its receiver's, else as the first that it
// passed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

inline constexpr size_t kMostFlows = 1 << 18;
inline constexpr size_t kMostCells = 1 << 21;
inline constexpr size_t kMostSpans = 100'000;

enum class TrafficLevel : uint8_t { kProcess, kContainer, kHost, kRack };

struct TrafficNode {
  std::string name;  // shown; empty: the recorded host's own, and not put before its processes
  std::string directory;
  std::string rack;  // empty: not known
};

inline constexpr size_t kOnCommonClock = SIZE_MAX;

// A part of a job. Phases of one label are one span, on any nodes and processes.
struct TrafficPhase {
  std::string label;
  uint64_t start_ns = 0;  // on the clock of nodes[node]
  uint64_t end_ns = 0;
  size_t node = 0;  // kOnCommonClock: the times are on Traffic's common clock
  int32_t pid = 0;  // 0: not bound to a process
};

struct TrafficOptions {
  std::vector<TrafficNode> nodes;
  TrafficLevel level = TrafficLevel::kProcess;
  uint64_t interval_ns = 0;  // spans of this length; 0: some twenty round ones
  bool by_phase = false;     // spans are `phases` instead
  std::vector<TrafficPhase> phases;
  int threads = 0;  // 0: one for each CPU
};

// Payload is the programs' own bytes: behind the headers of TCP and UDP, behind that of IP for
// other protocols. TCP's payload follows from its sequence numbers, so it is exact except for the
// last packet of a flow.
struct TrafficAmount {
  uint64_t payload_bytes = 0;
  uint64_t ip_bytes = 0;  // of all packets, with the headers of IP and above, without the link's
  uint64_t packets = 0;   // as handed over by the kernel: one may be many on the wire
  // Of TCP: payload in one direction until payload comes the other way. Else: a packet.
  uint64_t messages = 0;
  uint64_t empty_packets = 0;       // among `packets`: acknowledgements, openings and ends
  uint64_t repeated_packets = 0;    // among `packets`: retransmissions; not in payload_bytes …
  uint64_t repeated_bytes = 0;      // … but here
  uint64_t unseen_bytes = 0;        // sequence numbers passed over without a packet in the records
  uint64_t unknown_size_bytes = 0;  // among ip_bytes: of packets whose flow was never described

  TrafficAmount& operator+=(const TrafficAmount& other);
  bool operator==(const TrafficAmount&) const = default;
  bool empty() const { return packets == 0; }
};

enum class PartyKind : uint8_t {
  kKnown,
  kUnknown,  // on a recorded node, but its process (container, rack) is not known
  kOutside,  // an address that no recorded node has
};

inline constexpr uint32_t kNoTrafficNode = 0xffffffff;

struct TrafficParty {
  std::string name;
  PartyKind kind = PartyKind::kKnown;
  // What the name tells, for programs: the index in TrafficOptions::nodes, if the party is on one
  // recorded node; and of a process its number.
  uint32_t node = kNoTrafficNode;
  int32_t pid = 0;
  bool operator==(const TrafficParty&) const = default;
};

enum class SpanKind : uint8_t {
  kPlain,    // an interval or a phase
  kOutside,  // in no phase
  kSeveral,  // in several phases at once, but no phase of the sender
  kUntimed,  // beyond kMostCells
};

struct TrafficSpan {
  std::string label;  // of a phase
  SpanKind kind = SpanKind::kPlain;
  uint64_t start_ns = 0;  // since Traffic::start_ns
  uint64_t end_ns = 0;
  bool operator==(const TrafficSpan&) const = default;
};

struct SpanAmount {
  uint32_t span = 0;
  TrafficAmount amount;
};

struct TrafficPair {
  uint32_t from = 0;  // index into Traffic::parties
  uint32_t to = 0;
  TrafficAmount amount;
  std::vector<SpanAmount> spans;  // in order; those with packets
};

enum class TrafficClock : uint8_t {
  kOne,       // there is one node
  kMeasured,  // the nodes' clocks were measured against one of them
  kRealtime,  // each node's own clock of day is trusted
  kUnknown,   // some node recorded not even that
};

struct Traffic {
  std::vector<TrafficParty> parties;
  std::vector<TrafficPair> pairs;  // most payload first
  std::vector<TrafficSpan> spans;  // without empty ones of another kind than kPlain
  TrafficAmount total;
  TrafficClock clock = TrafficClock::kOne;
  uint64_t clock_bound_ns = 0;  // kMeasured: the largest
  uint64_t start_ns = 0;        // of the first recorded event, on the common clock
  uint64_t end_ns = 0;

  uint64_t flows = 0;
  // Payload, by the node whose records counted it.
  uint64_t by_sender_bytes = 0;
  uint64_t by_receiver_bytes = 0;
  uint64_t in_passing_bytes = 0;
  uint64_t seen_again_packets = 0;   // on a further interface of their node; not counted again
  uint64_t other_flows_packets = 0;  // beyond kMostFlows: counted as of an unknown flow
  uint64_t lost_packets = 0;         // that the recorders could not write down, at most
  uint64_t paused_ns = 0;  // of all nodes: they kept to a budget, and told of no packet meanwhile
  uint64_t corrupt_blocks = 0;
  uint64_t nodes_in_part = 0;  // recorded with --only: of the received packets only those that woke
                               // a thread are known
};

// InvalidArgument or NotFound, with a line for the user. An interval that makes more than
// kMostSpans spans is refused.
absl::StatusOr<Traffic> MeasureTraffic(const TrafficOptions& options);

}  // namespace gordian
