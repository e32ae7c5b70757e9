// SPDX-License-Identifier: Apache-2.0
// The part of a backward slice that lies on one node, found on that node alone.
//
// A slice of many nodes is asked node by node (near/near_slice.h). Its part on a node begins where
// it comes in: at the moment that is asked about, at packets that other nodes waited for, and at
// what an earlier part left off. It ends at waits that packets of other nodes ended. Who sent them
// is not known here, so a part tells which senders are wanted. With the senders told, it goes on:
// all parts of all nodes together are the slice of the joined recording.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causes/causes.h"

namespace gordian {

// A wait that ended with a packet from another node. Of a thread and a time there is one.
struct OutsideMessage {
  enum class Fate : uint8_t {
    kAsked,   // not known yet: the slice ends there
    kNobody,  // no node that answers sent it: the wait is for the network
    kSent,
  };
  EntityId receiver = kNobody;
  uint64_t woken_ns = 0;
  uint64_t sent_ns = 0;  // kSent: on this timeline's clock
  uint32_t number = 0;   // the caller's own
  Fate fate = Fate::kAsked;
};

// Where the part comes in: the thread is in the slice in the nanosecond before.
struct SliceEntry {
  EntityId thread = kNobody;
  uint64_t at_ns = 0;
  // Instead: whoever had the turn, as at a packet's sending; nobody if the thread slept.
  bool by_turn = false;
  CauseEdge edge = CauseEdge::kMessage;
};

struct PartRequest {
  CausalScope scope = CausalScope::kRequest;
  uint8_t edge_kinds = kAllCauseEdges;
  uint64_t from_ns = 0;    // goes back to there
  bool is_lowest = false;  // the slice's own beginning: edges there lead out of it
  size_t most_stretches = 0;
};

struct PartSlice {
  std::vector<SliceStretch> stretches;  // numbers and parents are of this part alone
  std::vector<uint32_t> reached;        // numbers of messages whose senders are in the slice, once
  std::vector<uint32_t> wanted;         // numbers of messages at which the slice ended
  std::vector<SliceEntry> left_off;     // what goes on before from_ns
  std::vector<SliceEntry> asleep;       // threads whose waits' cause is not known, at that time
  bool is_cut_off = false;              // more stretches than asked for: not all are here
};

// `messages`: by receiver and time; those that are not among them count as kNobody.
PartSlice PartSliceOf(const ExecutionGraph& graph, const PartRequest& request,
                      std::span<const SliceEntry> entries,
                      std::span<const OutsideMessage> messages);

}  // namespace gordian
