// SPDX-License-Identifier: Apache-2.0
// What a recording tells besides its threads' records, and what must be known before these become
// histories: its times, its lives, its losses, the sources of wakes, the holders of locks.
//
// The whole timeline (timeline_loader.h) and the stream of windows (timeline_stream.h) both collect
// it here, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/block_source.h"
#include "analyzer/timeline/common_facts.h"
#include "analyzer/timeline/lives.h"
#include "analyzer/timeline/lock_holders.h"
#include "analyzer/timeline/lossy_stretches.h"
#include "analyzer/timeline/process_programs.h"
#include "analyzer/timeline/thread_history.h"
#include "analyzer/timeline/window.h"
#include "trace/session_reader.h"

namespace gordian {

// Threads first, in order of tid and birth, then pseudo-threads.
struct RecordedEntities {
  std::vector<Entity> entities;
  std::vector<EntityId> creators;  // by thread
  std::vector<uint64_t> exits;     // likewise; 0: not known
  ProcessPrograms programs;
};

class RecordingFacts {
 public:
  // `pauses` lives as long as this.
  RecordingFacts(const SessionReader& session, const Pauses& pauses);

  // As if the recording had ended then, in recorded time, though not before its start.
  void EndAt(uint64_t time_ns);
  // Takes what is not of one thread alone, of blocks in any order, those of a CPU in theirs; leaves
  // requests, packets and samples where they are.
  void Take(DecodedBlock& block);
  // Threads that may have no more than records.
  void MeetThreadsOf(const Window& window);
  void Meet(int32_t tid) { common_.mentioned.emplace_back(tid); }
  // Keeps the memory of what was met small.
  void SortMentioned();
  // A block that could not be read.
  void TakeDamaged(const BlockSource::Damage& damage);
  // Behind the last block. `targets` are marked besides the session's own.
  RecordedEntities Finish(std::span<const pb::Target> targets);

  uint64_t start_ns() const { return start_ns_; }
  uint64_t end_ns() const { return end_ns_; }
  uint64_t unread_ns() const { return unread_ns_; }  // of the recording, behind the end
  uint32_t cpus() const { return cpus_; }
  uint64_t events() const { return events_; }
  uint64_t lost() const { return lost_; }              // as events tell
  uint64_t unreadable() const { return unreadable_; }  // events of damaged blocks

  // Behind Finish:
  const Lives& lives() const { return lives_; }
  HistoryContext Context() const;

 private:
  void FindTimes(const SessionReader& session);
  void TakeLoss(const LossRecord& record);
  void OrderTaken();

  const pb::Session& session_;
  const Pauses& pauses_;
  uint64_t start_ns_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t unread_ns_ = 0;
  uint32_t cpus_ = 0;
  uint64_t events_ = 0;
  uint64_t lost_ = 0;
  uint64_t unreadable_ = 0;
  bool identity_gave_way_ = false;  // the oldest task records are gone
  // What a block has of tasks_ and locks_.
  struct Taken {
    size_t rank = 0;  // the block's
    size_t first_task = 0;
    size_t tasks = 0;
    size_t first_lock = 0;
    size_t locks = 0;
  };
  std::vector<Taken> taken_;
  std::vector<TimedTask> tasks_;
  std::vector<WorkRecord> works_;
  CommonFacts common_;
  LossyStretches lossy_stretches_;
  Lives lives_;
  LockHolders lock_holders_{{}};
};

}  // namespace gordian
