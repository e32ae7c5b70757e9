// SPDX-License-Identifier: Apache-2.0
// Writes one session's folder: session.pb, cpu-NNN.trace, tasks.trace, resources.trace.
//
// Each stream is a row of segment files (cpu-000.trace, cpu-000.s000001.trace, …); without a size
// for the flight recorder there is only the first. With one, the oldest segments of all streams
// give way together, so that the streams keep covering the same span of time. Appended events have
// been handed to the kernel (write(2)) when the call returns: killing the process loses none of
// them.
//
// Not thread-safe: one owner.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "schema/symbols.pb.h"
#include "schema/trace.pb.h"
#include "trace/block_encoder.h"
#include "trace/event_block.h"
#include "trace/file_io.h"
#include "trace/stream_writer.h"

namespace gordian {

// The version that WriteSession puts into session.pb, and the newest that SessionReader reads.
inline constexpr uint32_t kSessionFormatVersion = 1;

// The smallest flight recorder: below, a single block may be all that fits.
inline constexpr uint64_t kMinRingBytes = 1u << 20;

struct SessionWriterOptions {
  // Flight recorder: keep the newest this many bytes, never more, session.pb included; 0 keeps
  // everything. InvalidArgument if it is less than kMinRingBytes.
  uint64_t ring_bytes = 0;
  // Flight recorder: keep no more than the newest this long, give or take an eighth; 0: as much as
  // fits. InvalidArgument without ring_bytes.
  uint64_t ring_ns = 0;
  uint64_t max_bytes = 0;  // appending past this fails with ResourceExhausted; 0 is no limit
};

// Live identity for the head of a new segment of tasks.trace: fills the block with a kAlive record
// per thread and a record per flow in use.
using IdentitySnapshot = std::function<void(EventBlock&)>;

class SessionWriter {
 public:
  // Makes `directory`; it may exist if it is empty. AlreadyExists if something is in it: nothing is
  // overwritten.
  static absl::StatusOr<std::unique_ptr<SessionWriter>> Create(const std::string& directory,
                                                               SessionWriterOptions options);

  // Called whenever tasks.trace begins a new segment, the first (with the first append of anything)
  // included.
  void set_identity_snapshot(IdentitySnapshot snapshot);

  // Appends to the CPU's stream and leaves `block` cleared. Sorts small inversions of time. An
  // empty block is nothing. A failed write (ResourceExhausted for a full disk or max_bytes) leaves
  // the stream readable up to the append before. The events that were not written stay in `block`;
  // the caller counts them.
  absl::Status AppendEvents(EventBlock& block);
  // Appends to tasks.trace: facts about threads that do not come from the events of a CPU.
  absl::Status AppendTasks(EventBlock& block);
  absl::Status AppendResources(const pb::ResourceBlock& block);

  // For a copy of what another writer writes. Appends the block as it is to the stream that it is
  // of. The caller sees to its number, and to the identities in tasks.trace.
  absl::Status AppendEncoded(const EncodedBlock& block);
  // The next block of tasks.trace begins a segment: it is the first of an identity.
  void BeginTasksSegment() { tasks_.CloseSegment(); }

  // Replaces session.pb in one step (written aside, then renamed). Fills in the format version and
  // how many events there are. Room for the next one is held meanwhile, so that a recording that
  // fills the disk can still say so.
  absl::Status WriteSession(const pb::Session& session);

  // Replaces symbols.pb.zst in one step, within the limits on size: ResourceExhausted, and the old
  // one kept, if it does not fit.
  absl::Status WriteSymbols(const pb::Symbols& symbols);
  absl::Status WritePackedSymbols(const std::string& packed);  // of PackSymbols

  // Makes `directory` a session with this one's present contents; `session` is its session.pb. Hard
  // links closed segments where it can, copies the rest. The identity of all live threads is
  // written with it. If it fails, nothing stays.
  absl::Status Snapshot(const std::string& directory, const pb::Session& session);

  // Events of CPUs and of tasks.trace; resource samples do not count.
  uint64_t events_written() const { return events_written_; }
  uint64_t events_on_disk() const { return events_written_ - events_given_way_; }
  uint64_t bytes_on_disk() const {
    return trace_bytes_ + session_file_bytes_ + symbols_file_bytes_;
  }
  // Events of CPUs that gave way to newer ones: no loss, but told.
  uint64_t events_dropped_by_ring() const { return events_dropped_by_ring_; }
  uint64_t time_inversions_sorted() const { return time_inversions_sorted_; }
  bool size_limit_reached() const {
    return size_limit_reached_;
  }  // an append failed because of max_bytes
  const std::string& directory() const { return directory_; }

 private:
  SessionWriter(std::string directory, SessionWriterOptions options);

  StreamWriter& CpuStream(uint16_t cpu);
  absl::Status AppendToStream(EventBlock& block, StreamWriter& stream, BlockKind kind);
  absl::Status AppendBlock(const EncodedBlock& block, StreamWriter& stream);
  absl::Status BeginTasksSegmentIfDue();
  absl::Status AppendIdentity();

  // The flight recorder's part.
  uint64_t SegmentBytes() const;
  bool SegmentIsFull(const StreamWriter& stream) const;
  uint64_t SessionFileReserve() const;
  absl::Status MakeRoom(uint64_t bytes);
  bool DropUnneededTasks();
  StreamWriter* OldestData();
  bool DropOldestData();
  void DropOutdated();
  void Drop(StreamWriter& stream);

  absl::Status FillSnapshot(const std::string& directory, const pb::Session& session);
  absl::Status CopyStream(const StreamWriter& stream, const std::string& directory) const;

  const std::string directory_;
  const SessionWriterOptions options_;
  IdentitySnapshot identity_snapshot_;
  BlockEncoder encoder_;
  EventBlock identity_;  // its memory is reused
  std::map<uint16_t, StreamWriter> cpus_;
  StreamWriter tasks_;
  StreamWriter resources_;
  bool tasks_begun_ = false;
  uint64_t tasks_begun_at_bytes_ = 0;  // of appended_bytes_
  uint64_t identity_bytes_ = 0;        // of the last one written
  uint64_t appended_bytes_ = 0;        // in all, whether they gave way since or not
  uint64_t newest_time_ns_ = 0;        // of all blocks
  uint64_t trace_bytes_ = 0;
  uint64_t session_file_bytes_ = 0;
  uint64_t symbols_file_bytes_ = 0;
  uint64_t events_written_ = 0;          // in all
  uint64_t events_given_way_ = 0;        // of these
  uint64_t events_dropped_by_ring_ = 0;  // of these, those of CPUs
  uint64_t time_inversions_sorted_ = 0;
  bool size_limit_reached_ = false;
  FileHandle next_session_file_room_;
};

}  // namespace gordian
