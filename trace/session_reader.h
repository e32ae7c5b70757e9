// SPDX-License-Identifier: Apache-2.0
// Reads a session's folder, trusting nothing in it.
//
// Damage never stops a read: a torn or corrupt block is skipped and counted (see `damage()`), the
// next one is searched. Sizes are checked before memory is taken. Files are read with pread, never
// mapped: a file that becomes shorter while it is mapped kills its reader, and the files of a
// running ring session may go away at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "schema/trace.pb.h"
#include "trace/block_decoder.h"
#include "trace/event_block.h"
#include "trace/file_io.h"
#include "trace/read_damage.h"
#include "trace/segment_scan.h"

namespace gordian {

// The facts in a block's header, without decoding the block.
struct BlockInfo {
  uint64_t sequence = 0;
  uint64_t first_time_ns = 0;
  uint64_t last_time_ns = 0;
  uint32_t events = 0;
  uint64_t lost = 0;
  uint64_t bytes = 0;  // header and payload, in the file
};

// The blocks of one stream in the order they were written, over all its segment files.
class EventStream {
 public:
  explicit EventStream(StreamId stream) : stream_(stream) {}
  uint16_t cpu() const { return stream_.cpu; }
  // The headers of all readable blocks: cheap, one pass over the headers at Open.
  const std::vector<BlockInfo>& blocks() const { return blocks_; }
  // Decodes block `index` into `out` (whose memory is reused, and which is empty after an error).
  // Thread-safe for different `out`. After OK all indices in the events are valid and the events
  // are in order of time. DataLoss if the payload does not check: count it and go on with the next.
  absl::Status Read(size_t index, EventBlock& out) const;

  // Gives back the memory that is kept for the next Read.
  void ReleaseMemory() const;

  // Adds a segment's blocks behind those there are.
  void AddSegment(const std::string& path, std::span<const FoundBlock> blocks);
  // Adds a block that no file holds behind those there are. It keeps what Read promises.
  void AddHeld(uint64_t sequence, EventBlock block);

 private:
  struct Location {
    uint32_t segment = 0;  // index into paths_
    uint64_t offset = 0;
    BlockHeader header;
    bool is_held = false;  // `offset` is an index into held_ then, and all else is empty
  };
  // The memory of decoding besides its output; kept for the next Read.
  struct Scratch {
    std::vector<uint8_t> payload;
    BlockDecoder decoder;
  };
  std::unique_ptr<Scratch> TakeScratch() const;
  void GiveScratchBack(std::unique_ptr<Scratch> scratch) const;
  absl::Status ReadInto(const Location& location, Scratch& scratch, EventBlock& out) const;

  StreamId stream_;
  std::vector<BlockInfo> blocks_;
  std::vector<Location> locations_;
  std::vector<std::string> paths_;
  std::vector<EventBlock> held_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> free_scratches_;  // guarded by mutex_
};

// One that Open read, as it was then.
struct SessionFile {
  std::string name;
  FileState identity;
};

class SessionReader {
 public:
  // NotFound or InvalidArgument, with a line for the user, if the folder is no session at all.
  // FailedPrecondition if it was written by a newer version in a way this one cannot read.
  // A folder whose session.pb is missing or damaged (its recorder was killed at the very beginning)
  // is read without it: then session() is empty, which is counted as an unreadable file.
  static absl::StatusOr<std::unique_ptr<SessionReader>> Open(const std::string& directory);

  // A session that no folder holds, with streams of held blocks, one per CPU in order of CPU.
  // `tasks` may be null. It has no samples of resources.
  static std::unique_ptr<SessionReader> Held(pb::Session session,
                                             std::vector<std::unique_ptr<EventStream>> cpus,
                                             std::unique_ptr<EventStream> tasks);

  const pb::Session& session() const { return session_; }
  // One per CPU, in order of CPU; kNoCpu last if there is one.
  const std::vector<std::unique_ptr<EventStream>>& cpus() const { return cpus_; }
  const EventStream* tasks() const { return tasks_.get(); }  // null if there is none
  // Damage is counted each time it is read. ResourceExhausted if the samples need an absurd amount
  // of memory.
  absl::StatusOr<std::vector<pb::ResourceBlock>> ReadResources();

  const std::string& directory() const { return directory_; }  // empty if no folder holds it
  // The files that Open read, in the order in which it read them.
  const std::vector<SessionFile>& files() const { return files_; }
  uint64_t bytes_on_disk() const { return bytes_on_disk_; }
  // Damage found so far: by Open, and by every failed Read that was reported through
  // CountCorruptBlock. (A block passed over may count as missing, too.)
  const ReadDamage& damage() const { return damage_; }
  // Not thread-safe.
  void CountCorruptBlock(uint64_t bytes);
  void CountUnknownEvents(uint64_t count) { damage_.unknown_events += count; }

 private:
  explicit SessionReader(std::string directory) : directory_(std::move(directory)) {}
  absl::Status ReadDescription();
  absl::Status ReadSegments();
  absl::Status NoSession() const;
  void AddSegment(const SegmentName& name);
  void CountMissing();
  void CountMissingBlocks(const EventStream& stream);

  std::string directory_;
  pb::Session session_;
  bool has_session_file_ = false;
  std::vector<std::unique_ptr<EventStream>> cpus_;
  std::unique_ptr<EventStream> tasks_;
  struct ResourceSegment {
    std::string path;
    std::vector<FoundBlock> blocks;
  };
  std::vector<ResourceSegment> resources_;
  std::vector<SessionFile> files_;
  uint64_t bytes_on_disk_ = 0;
  ReadDamage damage_;
};

// All events of a session in time order (merged over its streams, tasks.trace included; at equal
// times tasks.trace first, then by CPU). Damaged blocks are counted in the session and left out.
// Memory: one block per stream; two while a stream's blocks overlap in time. If more than two
// overlap (no recorder writes so), their events come late rather than never. Usage: while
// (cursor.Next()) use(cursor.event(), cursor.block());
class MergedEvents {
 public:
  explicit MergedEvents(SessionReader& session);
  ~MergedEvents();
  MergedEvents(const MergedEvents&) = delete;
  MergedEvents& operator=(const MergedEvents&) = delete;

  bool Next();
  const TraceEvent& event() const;
  const EventBlock& block()
      const;  // whose side tables the event refers to; valid until the next Next()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
