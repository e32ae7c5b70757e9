// SPDX-License-Identifier: Apache-2.0
// Writes what a node sends of a running session into a folder that is itself a recording: a flight
// recorder's, which holds the newest part. It can be read, followed and cut while it grows.
//
// Blocks are kept as they come. Only those of tasks get new numbers, as lists of all threads come
// in between. Whatever a node sends, the folder takes no more than its limit, and file names are
// made here, of checked numbers. Blocks are not decoded: whoever reads the folder checks them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/control.pb.h"
#include "schema/session.pb.h"
#include "trace/block_header.h"
#include "trace/segment_name.h"
#include "trace/session_writer.h"

namespace gordian {

struct MirrorLimits {
  uint64_t bytes = 256u << 20;  // at least kMinRingBytes
  uint64_t keep_ns = 0;         // 0: as much as fits
};

struct MirrorCounts {
  uint64_t blocks = 0;
  uint64_t events = 0;
  uint64_t bytes = 0;  // of blocks
  // As the node tells: blocks that it passed over, since this folder could not keep up.
  uint64_t skipped_blocks = 0;
  uint64_t skipped_events = 0;
  uint64_t skipped_bytes = 0;
  uint64_t unknown_blocks = 0;  // of a kind or version newer than this program: left out
  uint64_t bytes_on_disk = 0;
  uint64_t complete_until_ns = 0;  // the recording's watermark
};

class MirrorFolder {
 public:
  // The statuses of SessionWriter::Create.
  static absl::StatusOr<std::unique_ptr<MirrorFolder>> Create(const std::string& directory,
                                                              const MirrorLimits& limits);

  // DataLoss if no recorder sends such a part, FailedPrecondition if it is of another session or a
  // newer version; ResourceExhausted and others if it cannot be written.
  absl::Status Take(const pb::FollowPart& part);
  // The next part is of a new call, which goes on with the session: it may bring again what came
  // behind the watermark.
  void GoOn();
  // Completes the recording, unless the session's end came or a round is cut off: that stays an
  // incomplete one.
  absl::Status Finish();

  // A round has begun and its session.pb has not come.
  bool is_within_round() const { return is_within_round_; }
  bool has_session() const { return has_session_; }
  bool ended() const { return ended_; }  // with the session
  const std::string& end_reason() const { return end_reason_; }
  const MirrorCounts& counts() const { return counts_; }

 private:
  MirrorFolder(const MirrorLimits& limits, std::unique_ptr<SessionWriter> writer)
      : limits_(limits), writer_(std::move(writer)) {}
  uint64_t MostBytesOf(pb::FollowPart::Kind kind) const;
  absl::Status TakeWhole(const pb::FollowPart& last);
  absl::Status TakeBlock(bool is_of_threads);
  absl::Status TakeTasks(BlockHeader header, bool is_of_threads);
  absl::Status TakeSession(const pb::FollowPart& last);
  absl::Status Append(const BlockHeader& header);
  absl::Status WriteSession();

  const MirrorLimits limits_;
  const std::unique_ptr<SessionWriter> writer_;
  std::string whole_;  // of the parts so far
  pb::FollowPart::Kind kind_ = pb::FollowPart::ALIVE;
  // By stream: the number of the node's next block, and what an earlier call has brought.
  std::map<StreamId, uint64_t> next_;
  std::map<StreamId, uint64_t> brought_;
  uint64_t next_tasks_number_ = 0;  // here
  pb::Session session_;
  bool has_session_ = false;
  bool is_within_round_ = false;
  bool ended_ = false;
  std::string end_reason_;
  MirrorCounts earlier_;  // skipped in earlier calls
  MirrorCounts counts_;
};

}  // namespace gordian
