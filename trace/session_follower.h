// SPDX-License-Identifier: Apache-2.0
// Follows a session's folder while it is written, trusting nothing in it: gives each block once,
// and a time before which nothing more will come. Also reads a session that is complete already, or
// was left by a killed recorder.
//
//   std::map<StreamId, EventStream> streams;
//   auto follower = SessionFollower::Open(directory);
//   while (!(*follower)->ended()) {
//     auto news = (*follower)->Poll(now_ns);
//     for (const NewBlocks& found : news->blocks)
//       streams.try_emplace(found.stream, found.stream).first->second.AddSegment(found.path,
//                                                                                found.blocks);
//     // all events before (*follower)->complete_until_ns() are in `streams` now
//   }
//
// A poll lists the folder, looks at the open segment of each stream, and reads what is new; it
// never reads a block's header again. Files are opened for each look, and never mapped: a flight
// recorder's segments may go away at any time.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "trace/read_damage.h"
#include "trace/segment_scan.h"
#include "trace/session_folder.h"

namespace gordian {

// New blocks of one segment, behind all that were given of their stream. EventStream decodes those
// of events and tasks, ReadResourceBlock (resource_block.h) those of resources. A segment that
// vanishes before its blocks are decoded gives DataLoss there: their headers tell the time that is
// lost.
struct NewBlocks {
  StreamId stream;
  std::string path;
  std::vector<FoundBlock> blocks;
};

// Blocks of a stream that a flight recorder deleted before they were read. Their events lie in
// [from_ns, to_ns), give or take by how much blocks of a stream overlap, or in an `overrun` that
// was told before.
struct VanishedBlocks {
  StreamId stream;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint64_t blocks = 0;  // by their numbers
};

struct TimeStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

struct SessionNews {
  std::vector<NewBlocks> blocks;  // in order of streams, then of segments
  std::vector<VanishedBlocks> vanished;
  // A flight recorder deletes faster than it is polled: blocks from this time, of any stream, may
  // have come and gone unseen. Its end is that of the oldest segment that is there, and one that
  // was deleted may have ended later by how much blocks overlap: another stream's block of that
  // time may be written behind the deletion. `vanished` tells of them when a later block of their
  // stream is there.
  std::optional<TimeStretch> overrun;
  bool session_changed = false;  // session.pb was replaced
};

class SessionFollower {
 public:
  // The statuses of SessionReader::Open, except that the folder may still be empty.
  static absl::StatusOr<std::unique_ptr<SessionFollower>> Open(const std::string& directory);

  // Everything that is new. `now_ns`: any clock that does not go back, for silent_ns. An error if
  // the folder has gone, now holds another recording, or one that this version cannot read.
  absl::StatusOr<SessionNews> Poll(uint64_t now_ns);
  // The same for a session that nobody writes any more, as the caller knows or has decided: the
  // parts of blocks at the ends of its files are damage then.
  absl::StatusOr<SessionNews> PollLast(uint64_t now_ns);

  // As the newest session.pb tells; empty until there is one that can be read.
  const pb::Session& session() const { return session_; }
  // Nothing that is given later is from before this time (samples of resources: of a stretch of
  // time that ended before): each event of such a time, of any stream, was given, or told as
  // vanished or overrun (or counted in `damage`). 0 as long as session.pb tells none, UINT64_MAX
  // when the session has ended. Never goes back.
  uint64_t complete_until_ns() const { return complete_until_ns_; }
  // Its recorder has completed it, or PollLast was called: nothing more comes but, perhaps, a
  // session.pb with more counters.
  bool ended() const { return ended_; }
  // How long nothing was new, session.pb included. A living recorder replaces it with each flush,
  // once a second or oftener, also while it pauses. So seconds of silence mean that it was killed,
  // is stopped, or waits for its disk: the folder does not tell which.
  uint64_t silent_ns(uint64_t now_ns) const { return now_ns - heard_ns_; }

  // Damage found so far; in a session that ended and lost nothing, that which SessionReader counts.
  ReadDamage damage() const;

 private:
  struct Segment {
    ScanPosition position;
    bool is_read_to_end = false;
    bool is_unreadable = false;
    // Of its blocks and of those before it in its stream, which may end a little later; 0: it has
    // none.
    uint64_t last_time_ns = 0;
  };
  using Segments = std::map<uint32_t, Segment>;
  struct Stream {
    Segments segments;          // those that are there, by number
    uint32_t numbers_gone = 0;  // lower ones are gone, even if such a file is seen again
    // Of the latest block: where the next one should be.
    uint32_t last_number = 0;
    uint64_t next_sequence = 0;
    uint64_t last_time_ns = 0;
    bool has_blocks = false;
    bool end_is_unread = false;        // its segment is gone, and may have had more
    uint64_t blocks_before_first = 0;  // of segment 0, or of what was there at the first poll
  };

  explicit SessionFollower(std::string directory) : directory_(std::move(directory)) {}
  absl::StatusOr<SessionNews> PollFolder(uint64_t now_ns, bool is_last);
  absl::Status ReadSession(SessionNews& news);
  void TakeListing(const std::vector<SegmentName>& listed);
  Segments::iterator TakeAway(Segments::iterator gone, Stream& stream);
  absl::Status ScanStream(StreamId id, Stream& stream, SessionNews& news);
  void TakeBlocks(SegmentName name, Stream& stream, std::vector<FoundBlock> blocks,
                  SessionNews& news);
  void CheckSequence(SegmentName name, Stream& stream, const BlockHeader& header,
                     SessionNews& news);
  void CheckOverrun(SessionNews& news) const;
  bool KeepsAll() const { return has_session_file_ && session_.options().ring_bytes() == 0; }

  std::string directory_;
  pb::Session session_;
  std::string session_identity_;  // of the file that was read: device, inode, times, size
  bool has_session_file_ = false;
  bool is_first_poll_ = true;
  bool is_over_ = false;   // nothing is written any more
  bool ended_ = false;     // … and all of it was given
  bool gave_way_ = false;  // a segment was deleted
  // A flight recorder deletes nothing before that: one segment of each stream is no full ring.
  bool has_second_segment_ = false;
  bool lost_sight_ = false;      // … in this poll, after the folder was listed
  uint64_t given_until_ns_ = 0;  // complete_until_ns() before this poll
  uint64_t complete_until_ns_ = 0;
  uint64_t heard_ns_ = 0;
  std::map<StreamId, Stream> streams_;
  ReadDamage damage_;
};

}  // namespace gordian
