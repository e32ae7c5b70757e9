// SPDX-License-Identifier: Apache-2.0
// A backward slice of many nodes, found by asking them: nothing is collected.
//
//   NearNodes nodes{.names = {"web1", "db1"}, .hosts = {"10.0.0.1", "10.0.0.2"}, .ask = …};
//   auto slice = SliceAcross(nodes, {.thread = "client", .node = "web1"});
//
// All nodes tell when their recordings begin. Then only those are asked that the slice reaches:
// the part of it on a node (causes/part_slice.h), who sent a packet that ended a wait there, and
// what the time in it adds up to. All nodes that may have sent a packet are asked for it, and the
// one that did is taken (packet_senders.h): a node's addresses do not say whose a packet is.
//
// The result is the slice of the collected recording, with each clock as it was measured. (The
// joined recording knows clocks better, as no message arrives before it was sent. So moments of
// sending may differ by the clocks' bounds.) What could not be followed is counted and told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "causes/causes.h"
#include "causes/slice_rows.h"
#include "schema/near.pb.h"
#include "schema/slice.pb.h"

namespace gordian {

struct NearNodes {
  std::vector<std::string> names;
  std::vector<std::string> hosts;  // where they are reached, or empty
  // Asks that node. Several nodes may be asked at once.
  std::function<absl::StatusOr<pb::NearAnswer>(size_t node, const pb::NearQuestion& question)> ask;
};

struct NearSliceQuestion {
  std::string thread;
  std::string node;               // empty: on whichever node it is
  std::optional<uint64_t> at_ns;  // since the first node's start; none: the thread's end
  // Instead: a moment of that node, as its own recording counts threads and time. Then it is also
  // told how the nodes count the stretches.
  struct Moment {
    EntityId thread = kNobody;
    uint64_t since_start_ns = 0;
  };
  std::optional<Moment> moment;
  CausalScope scope = CausalScope::kRequest;
  uint8_t edge_kinds = kAllCauseEdges;
  SliceBy by = SliceBy::kName;
  // The slice ends where more was asked than this, and says so.
  uint64_t most_questions = 100'000;
  std::function<bool()> stop_asked;  // likewise; may be empty
};

struct NearStretch {
  size_t node = 0;  // in NearNodes
  EntityId thread = kNobody;
  uint64_t from_ns = 0;  // on the reference's clock
  uint64_t to_ns = 0;
  // As its node's own recording counts them, if a moment was asked about.
  uint64_t own_from_ns = 0;
  uint64_t own_to_ns = 0;
};

struct NearCosts {
  uint64_t questions = 0;
  uint64_t asked_bytes = 0;
  uint64_t answered_bytes = 0;
  uint64_t collecting_bytes = 0;         // what collecting would move, of the nodes that answer
  std::vector<std::string> asked_nodes;  // that told more than their beginning and end
};

struct NearSlice {
  pb::Slice told;  // its tree is empty: parts do not know which edge led to a thread first
  std::vector<NearStretch> stretches;
  std::map<std::pair<size_t, EntityId>, std::string> labels;  // of threads, if likewise
  NearCosts costs;
  std::vector<std::string> notes;  // what was not followed, a line each
};

// NotFound if no such thread lives then, InvalidArgument if several do, FailedPrecondition if these
// recordings cannot be asked like this: each with a line that says what does.
absl::StatusOr<NearSlice> SliceAcross(const NearNodes& nodes, const NearSliceQuestion& question);

}  // namespace gordian
