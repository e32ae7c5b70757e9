// SPDX-License-Identifier: Apache-2.0
// The things that threads waited for, by name: the objects that the recorder saw behind their
// system calls.
//
//   samples' objects, and the sums over them -> things -> reasons of edges, with shares
//
// One thing can be several objects: a file that is read and synced is one in each call. All waiters
// for the same thing are found over all edges: so a lock is known by its waiters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "trace/wait_object.h"

namespace gordian {

struct WaitThing {
  uint32_t threads = 0;  // different ones whose waits for it were sampled
  // (from, to) of all edges with such waits, the longest first.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
};

class WaitThings {
 public:
  WaitThings() = default;
  // Only samples in [from_ns, to_ns) count.
  WaitThings(const Timeline& timeline, const StackSums& sums, uint64_t from_ns, uint64_t to_ns);

  // Null if it is 0 or was not defined.
  const WaitObjectRecord* Find(uint32_t object_id) const;
  // Null also for an object that concerns the waiting thread alone, like a sleep.
  const WaitThing* ThingOf(uint32_t object_id) const;

 private:
  struct Object {
    WaitObjectRecord record;
    size_t thing = 0;  // index, or kNoThing
  };
  static constexpr size_t kNoThing = SIZE_MAX;
  void AddObjects(const Timeline& timeline, const StackSums& sums);
  void AddEdges(const StackSums& sums);
  void CountThreads(const Timeline& timeline, uint64_t from_ns, uint64_t to_ns);

  absl::flat_hash_map<uint32_t, Object> objects_;
  std::vector<WaitThing> things_;
};

// A part of an edge's waits that were for one thing in one call.
struct ObjectShare {
  uint32_t object_id = 0;
  std::string text;       // WaitObjectText
  std::string_view role;  // of a futex, by the function that waits: lock, condition variable, …
  double share = 0;       // of the edge
  uint64_t samples = 0;
};

// The reasons of an edge's waits: first by the kernel's functions, or by the object if those do not
// tell; then by object.
struct ReasonShare {
  std::string_view reason;
  double share = 0;
  std::vector<ObjectShare> objects;  // heaviest first; may not add up to `share`
};
// Heaviest first; empty if no kernel frame has a name and no object is known.
std::vector<ReasonShare> ReasonsOf(std::span<const StackSum> waiter_sums, const Code& code,
                                   const WaitThings& things);

}  // namespace gordian
