// SPDX-License-Identifier: Apache-2.0
// The blocks of a session that grows, as far as they may be decoded: all that happened before the
// horizon is there, and no pause before it is unknown.
//
// A block waits until all of it lies before the watermark. The horizon is the watermark, or where
// the first block begins that waits. In a pause, whose end is not known yet, it is the pause's
// beginning: all of a pause is one moment of recorded time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/block_source.h"
#include "analyzer/timeline/pauses.h"
#include "trace/session_follower.h"

namespace gordian {

class GrowingSession {
 public:
  static absl::StatusOr<std::unique_ptr<GrowingSession>> Open(const std::string& directory);

  // Looks for more; behind the end of the recording (`is_last`: it ends here) all is there. The
  // blocks that may be decoded are added to `blocks`.
  absl::Status Poll(bool is_last, BlockSource& blocks);

  // Whether anything can be decoded: from then on the times are known.
  bool has_begun() const { return has_begun_; }
  bool ended() const { return follower_->ended(); }
  uint64_t start_ns() const { return start_ns_; }
  uint64_t end_ns() const { return end_ns_; }  // UINT64_MAX until it has ended
  // In recorded time. All records from before were added.
  uint64_t horizon_ns() const { return horizon_ns_; }
  const pb::Session& session() const { return follower_->session(); }
  // That any block came from, without that of no CPU.
  uint32_t cpu_streams() const;
  bool identity_gave_way() const { return identity_gave_way_; }

  // In recorded time, since the poll before: when a CPU's events may have been lost, up to the
  // horizon.
  struct Loss {
    uint16_t cpu = 0;
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
  };
  std::vector<Loss> TakeLosses();
  uint64_t lost_blocks() const { return lost_blocks_; }  // that were never seen

 private:
  struct Waiting {
    StreamId stream;
    uint64_t number = 0;
    BlockInfo info;
    std::shared_ptr<const EventStream> block;
  };
  struct Stream {
    uint64_t blocks = 0;
    uint64_t next_sequence = 0;
    uint64_t last_time_ns = 0;
  };
  GrowingSession() = default;
  void TakeNews(const SessionNews& news);
  void TakeBlock(const NewBlocks& found, const FoundBlock& block, bool is_vanish_told);
  uint64_t ClockHorizon() const;
  void MayBegin(uint64_t horizon_clock_ns);
  void Release(uint64_t horizon_clock_ns, BlockSource& blocks);

  std::unique_ptr<SessionFollower> follower_;
  std::map<StreamId, Stream> streams_;
  std::vector<Waiting> waiting_;
  std::vector<Loss> losses_;  // by the clock; what lies before the horizon was taken
  uint64_t lost_blocks_ = 0;
  Pauses pauses_;
  bool has_begun_ = false;
  bool gave_way_ = false;
  bool identity_gave_way_ = false;
  uint64_t first_clock_ns_ = 0;
  uint64_t last_clock_ns_ = 0;
  uint64_t start_ns_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t horizon_clock_ns_ = 0;
  uint64_t horizon_ns_ = 0;
};

}  // namespace gordian
