// SPDX-License-Identifier: Apache-2.0
// One sweep over a recording for one slice. Inner to the library.
//
// A lane is a thread: what it does, and whether it is in the slice, in the nanosecond beside the
// moment at hand on the side that the sweep comes from. At each moment
// - forward: edges read who is in before it; waits that end leave the slice where no next edge
//   leads over them; threads that edges lead to come in; waits that begin leave the slice likewise.
// - backward: the same, mirrored. All lanes first take the state of before the moment, as edges
//   begin there.
// So what happens at one moment depends on no order, and an edge never leads to an edge of the same
// moment: who had the turn (stays.h) is who had it before.
//
// With limits, a lane knows each number of hops by which it can be reached with fewer messages than
// by fewer hops. Without limits that is one pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "causes/cause_events.h"

namespace gordian {

class SliceSweep {
 public:
  SliceSweep(const ExecutionGraph& graph, const SliceRequest& request, const StretchSink& sink);
  SliceCounts Sweep(int threads);
  // Backward, from all entries at once; the request's thread and times do not count.
  void SweepPart(const PartRequest& request, std::span<const SliceEntry> entries,
                 std::span<const OutsideMessage> messages, PartSlice& part);

 private:
  struct HopPair {
    uint32_t hops = 0;  // 0 if there is no limit
    uint32_t network_hops = 0;
  };
  // None is better in both than another.
  using Hops = absl::InlinedVector<HopPair, 1>;
  // Where an edge comes from.
  struct Origin {
    Hops hops;  // with the edge's own
    uint32_t stretch = kNoStretch;
    uint64_t depth = 0;
  };
  struct Lane {
    StayOfThread is;
    bool in = false;
    CauseEdge edge = CauseEdge::kWake;
    uint32_t stretch = kNoStretch;  // none until the moment it came in at is over
    uint32_t parent = kNoStretch;
    uint64_t since_ns = 0;
    uint64_t depth = 0;
    Hops hops;
  };
  struct Arrival {
    EntityId thread = kNobody;
    CauseEdge edge = CauseEdge::kWake;
    Origin origin;
  };

  bool Start();
  void SweepForward(std::span<const TimedIndex> moment, const CauseEvents& piece);
  void SweepBackward(std::span<const TimedIndex> moment, const CauseEvents& piece);
  void SweepPiece(const CauseEvents& piece);
  std::vector<uint64_t> Borders() const;

  EntityId Turn(EntityId thread, EntityId cause) const;
  // Whether that edge may be followed out of the lane; then from where.
  bool Follow(const Lane& lane, CauseEdge edge, Origin& origin) const;
  void FollowForward(const CauseEvent& event);
  void FollowBackward(const CauseEvent& event);
  void FollowOutside(const CauseEvent& event);
  void FollowEntry(const CauseEvent& event);
  // At the border of a wait that the slice goes up to.
  void CrossWait(const CauseEvent& event, bool count);
  void Enter(const Arrival& arrival);
  void EnterAll();
  void Open(EntityId thread);
  void Close(EntityId thread);

  const ExecutionGraph& graph_;
  const SliceRequest& request_;
  const StretchSink& sink_;
  uint64_t from_ns_ = 0;
  uint64_t to_ns_ = 0;
  uint64_t now_ns_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Arrival> arrivals_;                   // of the moment at hand
  absl::flat_hash_map<uint32_t, Origin> crossing_;  // under way, by its index
  std::vector<CauseEvents> pieces_;
  uint32_t next_stretch_ = 0;
  SliceCounts counts_;
  // Of a part.
  PartSlice* part_ = nullptr;
  std::span<const OutsideMessage> messages_;
  std::span<const SliceEntry> entries_;
};

}  // namespace gordian
