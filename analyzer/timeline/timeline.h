// SPDX-License-Identifier: Apache-2.0
// The state of every thread at every moment of a recording.
//
// A thread's life is a row of segments without gaps: run, runnable, wait, spin, or unknown. The
// ledger of each thread therefore adds up exactly: run + runnable + wait + spin + unknown = end -
// begin, in nanoseconds.
//
// How events become segments
// - Identity. A thread is one life of a tid: (tid, start time). A later birth record, or a record
//   with a later start time, begins another life of that tid. tid 0 is each CPU's idle thread and
//   no entity. A tid that no record names still is an entity ("tid 17").
// - Before its first event a thread was running if that event is a switch away from it, and waiting
//   if it is a wake. It was runnable if that event is a switch to it and the kernel said it was on
//   a queue when the recording began. Otherwise that time is unknown. A thread without any event
//   waited all the time, if the kernel said so at the beginning. New threads are runnable from
//   birth.
// - A wait ends with its first wake; the time from then until the switch to the thread is runnable.
// - A wake may come before the switch-out it answers: the thread then is runnable from its
//   switch-out. (If another wake comes before it runs again, the earlier wake was spent while it
//   still ran, as the kernel wakes no thread twice. Then it did wait, for the later wake.)
// - A preempted thread, and one that leaves its CPU in state running, is runnable.
// - A switch to a thread that sleeps, without a wake, ends its wait by an unknown waker. If the CPU
//   it came to, or had left, lost or hid switches meanwhile, that time is unknown as a whole.
// - False wakeups: a probe's kFalseWakeup between a wake and the next sleep joins the two waits
//   around it, and all between them, into one wait ended by the last wake. From a kCondWaitBegin
//   to its kCondWaitEnd all wakes but the last are such.
// - Spins: from spin begin to spin end the time on a CPU is spin, not run. It counts as a wait for
//   the lock's last holder: the thread other than the spinner that was last to release the lock,
//   or to take it, before the spin ended.
// - Interrupts that ran on a thread's CPU meanwhile are part of its run time.
// - Lost records: a run on a CPU that touches a stretch in which that CPU's switches were lost
//   (loss events, corrupt blocks, gaps in the numbering of blocks) is unknown; so is the time
//   between two events of a thread that contradict each other, and a run during which another
//   thread leaves its CPU.
// - Waits that began before the recording or had not ended with it are kept and marked.
// - Pauses of the recording are cut out: all times are recorded times (pauses.h). After a
//   pause each thread is told anew, as at the beginning. If the kernel's count says that it has not
//   left a CPU since its last event, its last segment goes on. Otherwise that segment ends with the
//   pause, and is marked as open if it was a wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "analyzer/timeline/column.h"
#include "analyzer/timeline/column_memory.h"
#include "analyzer/timeline/flow_table.h"
#include "analyzer/timeline/pauses.h"
#include "analyzer/timeline/process_programs.h"
#include "analyzer/timeline/segments_on_demand.h"
#include "schema/session.pb.h"
#include "trace/session_reader.h"
#include "trace/trace_event.h"
#include "trace/wait_object.h"

namespace gordian {

enum class SegmentKind : uint8_t { kUnknown, kRun, kRunnable, kWait, kSpin };

// Lasts until the next segment of its thread starts, or the thread ends.
struct ThreadSegment {
  uint64_t start_ns = 0;
  // kWait, kSpin: the thread that ended it, or kNobody. kRunnable: the thread whose early wake kept
  // it from waiting, or kNobody
  EntityId waker = kNobody;
  uint16_t state = 0;  // kWait: the kernel's state bits; kRun, kSpin: the CPU
  SegmentKind kind = SegmentKind::kUnknown;
  WaitCause cause : 4 = WaitCause::kUnknown;  // kWait, kSpin
  uint8_t open_start : 1 = 0;                 // it began before the recording, or in a pause
  uint8_t open_end : 1 = 0;                   // it had not ended when the recording did, or paused
  uint8_t unused : 2 = 0;
};
static_assert(sizeof(ThreadSegment) == 16);

// The sum of an entity's times that segments of that kind add to.
inline uint64_t& TimeOf(Entity& entity, SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kRun:
      return entity.run_ns;
    case SegmentKind::kRunnable:
      return entity.runnable_ns;
    case SegmentKind::kWait:
      return entity.wait_ns;
    case SegmentKind::kSpin:
      return entity.spin_ns;
    case SegmentKind::kUnknown:
      break;
  }
  return entity.unknown_ns;
}

// Walks over segments in order of time:
//   for (auto at = timeline.SegmentsFrom(thread, from_ns); !at.done(); at.Next()) …
class SegmentCursor {
 public:
  // `pieces` are the segments in order, in non-empty pieces. Starts at the segment that holds
  // from_ns, or the first after it. `starts_ns`: when each piece begins; null: the pieces tell.
  // With `on_demand`, which needs these, they are its pieces from `first_piece` on, and are made as
  // the cursor comes to them.
  SegmentCursor(std::span<const std::span<ThreadSegment>> pieces, uint64_t from_ns,
                uint64_t last_end_ns, const uint64_t* starts_ns = nullptr,
                SegmentsOnDemand* on_demand = nullptr, size_t first_piece = 0);

  bool done() const { return pieces_.empty(); }
  const ThreadSegment& segment() const { return pieces_.front()[index_]; }
  uint64_t start_ns() const { return segment().start_ns; }
  uint64_t end_ns() const { return end_ns_; }
  void Next() {
    if (++index_ == pieces_.front().size()) {
      SkipPieces(1);
      index_ = 0;
    }
    if (!done()) FindEnd();
  }

 private:
  void SkipPieces(size_t count) {
    pieces_ = pieces_.subspan(count);
    if (starts_ns_ != nullptr) starts_ns_ += count;
    piece_ += count;
    if (on_demand_ != nullptr && !done()) on_demand_->Need(piece_);
  }
  void FindEnd() {
    if (index_ + 1 < pieces_.front().size()) {
      end_ns_ = pieces_.front()[index_ + 1].start_ns;
    } else {
      end_ns_ = pieces_.size() > 1 ? StartOf(1) : last_end_ns_;
    }
  }
  uint64_t StartOf(size_t piece) const {
    return starts_ns_ != nullptr ? starts_ns_[piece] : pieces_[piece].front().start_ns;
  }

  std::span<const std::span<ThreadSegment>> pieces_;
  size_t index_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t last_end_ns_ = 0;
  const uint64_t* starts_ns_ = nullptr;  // of pieces_
  SegmentsOnDemand* on_demand_ = nullptr;
  size_t piece_ = 0;  // the first of pieces_, in on_demand_
};

// A request to a disk, or its completion.
struct BlockRecord {
  uint64_t time_ns = 0;
  uint64_t sector = 0;
  uint64_t service_ns = 0;  // completions: time since the issue; 0 if that is not known
  uint32_t device = 0;
  uint32_t bytes = 0;
  EntityId thread = kNobody;  // who asked
  BlockOperation operation = BlockOperation::kOther;
  bool complete = false;
};

struct PacketRecord {
  uint64_t time_ns = 0;
  uint32_t interface = 0;
  uint32_t bytes = 0;
  EntityId thread = kNobody;  // sent: the sender; kNobody if that was a softirq
  uint32_t flow_id = 0;       // 0: not known
  uint32_t sequence = 0;      // as in NetEvent
  uint16_t cpu = 0;
  bool sent = false;
};

// Data on a unix socket or in a pipe.
struct LocalMessage {
  uint64_t time_ns = 0;   // about the end of the call
  uint32_t since_ns = 0;  // as in LocalMessageEvent
  uint32_t flow_id = 0;
  uint32_t bytes = 0;
  EntityId thread = kNobody;
  bool sent = false;  // else received

  // When its first data could be read, or was.
  uint64_t begin_ns() const { return time_ns - std::min<uint64_t>(since_ns, time_ns); }
};

// A wake in the path of a received packet: the latest that came in on that CPU.
struct PacketWake {
  uint64_t time_ns = 0;
  EntityId thread = kNobody;  // the woken thread
  uint32_t flow_id = 0;
  uint16_t cpu = 0;
};

// A message between two nodes that its receiver waited for. A wait for a link ended when it was
// received.
struct MessageFlight {
  EntityId receiver = kNobody;
  EntityId sender = kNobody;
  uint64_t sent_ns = 0;
  uint64_t received_ns = 0;
};

// A stack, with the thread and the moment it shows: 24 bytes, as there may be many.
struct StackSample {
  // Since the timeline's start. A wait's sample: when that wait began. A wake's sample: when the
  // wait that it should end ended. (The stack was taken a little before or after that.)
  uint64_t since_start_ns : 56 = 0;
  uint64_t weight_log2 : 6 = 0;
  uint64_t moment_value : 2 = 0;
  uint32_t stack_id = 0;
  EntityId thread = kNobody;  // the thread that waits, is woken, or runs
  uint32_t object_id = 0;     // a wait's: what for; 0: not known

  StackMoment moment() const { return static_cast<StackMoment>(moment_value); }
};
static_assert(sizeof(StackSample) == 24);

// Where a thread went to sleep: the start of one of its waits.
struct SleepStart {
  EntityId thread = kNobody;
  uint64_t start_ns = 0;
  auto operator<=>(const SleepStart&) const = default;  // NOLINT: clang-tidy 14 errs
};

// Names are those of trace/counters.h.
struct NamedCount {
  std::string_view name;
  uint64_t value = 0;
};

// How far reading is.
struct ReadSoFar {
  uint64_t until_ns = 0;  // all before is read, in recorded time
  double share = 0;       // of the events, about
};
// Called now and then between the first event and the last, always from the calling thread. False:
// reading ends here.
using KeepReading = std::function<bool(const ReadSoFar& so_far)>;

struct TimelineOptions {
  int threads = 0;                  // 0: as many as there are CPUs
  std::vector<pb::Target> targets;  // besides the session's own
  size_t events_per_window = 0;     // 0: chosen by size; the result does not depend on it
  bool keep_packet_wakes = false;   // packet_wakes() and flows(), to join it with other nodes'
  ColumnMemory memory;              // where segments, packets, requests and samples lie
  // As if the recording had ended then, in recorded time: what happened later is not read.
  uint64_t until_ns = std::numeric_limits<uint64_t>::max();
  KeepReading keep_reading;  // once it is false, likewise
};

// Called now and then with the share that is done, always from the calling thread.
using Progress = std::function<void(double share)>;

class Timeline {
 public:
  Timeline() = default;  // without time and threads

  // Damage and losses are counted, not errors. FailedPrecondition, with a line for the user, if the
  // session has no events at all. Damaged blocks are also counted in `session`.
  static absl::StatusOr<Timeline> Load(SessionReader& session, const TimelineOptions& options,
                                       const Progress& progress);

  uint64_t start_ns() const { return start_ns_; }
  uint64_t end_ns() const { return end_ns_; }
  // Of the recording, behind the end: time that was not read.
  uint64_t unread_ns() const { return unread_ns_; }
  const Pauses& pauses() const { return pauses_; }
  uint32_t cpus() const { return cpus_; }  // of all nodes together
  uint32_t CpusOf(uint32_t node) const { return node_cpus_.empty() ? cpus_ : node_cpus_[node]; }
  uint64_t events() const { return events_; }
  uint64_t lost() const { return lost_; }  // records lost while recording, or unreadable now
  // Blocks that are missing; the number of events in them is not known.
  uint64_t missing_blocks() const { return missing_blocks_; }
  uint64_t blocks() const { return blocks_; }  // that are there
  const pb::Session& session() const { return session_; }
  // Tells the speed of the interfaces of that name, on all nodes; false if there is none.
  bool SetLinkSpeed(std::string_view interface, uint64_t bits_per_second);
  // The losses that made this timeline imperfect; only those above zero.
  const std::vector<NamedCount>& counters() const { return counters_; }

  // Threads first (in order of tid and birth), then pseudo-threads. A thread's times are filled in;
  // analyzer/devices finds a device's.
  const std::vector<Entity>& entities() const { return entities_; }
  // Entities below this are threads.
  EntityId thread_count() const { return static_cast<EntityId>(first_piece_.size() - 1); }
  // kNobody if no event names that device.
  EntityId FindDevice(EntityKind kind, uint32_t device) const;
  // The creator, if it is known and the thread was born during the recording; else kNobody.
  EntityId creator(EntityId thread) const { return creators_[thread]; }
  // How many of its switches contradict the one before.
  uint32_t contradictions(EntityId thread) const { return contradictions_[thread]; }
  // The programs of the thread's process, in order of time. The first is the one that it began with
  // (its parent's, until it execs), or that it ran when the recording began; every other one is an
  // exec. Empty if nothing names the process.
  std::span<const Program> programs(EntityId thread) const;
  // When it called exit, which its parent learns of before its last switch; its end, if that is not
  // known.
  uint64_t exit_ns(EntityId thread) const {
    return exits_[thread] != 0 ? exits_[thread] : entities_[thread].end_ns;
  }
  // Whether the thread ended during the recording.
  bool ended(EntityId thread) const { return ended_[thread] != 0; }

  // All segments of `thread` from the one that holds from_ns on.
  SegmentCursor SegmentsFrom(EntityId thread, uint64_t from_ns = 0) const;

  // Times that cut the recording into parts of about equally many events, 100,000 or so; the last
  // is past its end.
  std::span<const uint64_t> borders() const { return borders_; }

  // In order of time.
  std::span<const BlockRecord> block_records() const { return block_records_; }
  // A row for each node, as there may be many; each in order of time.
  std::span<const Column<PacketRecord>> packet_rows() const { return packet_rows_; }

  // Likewise; empty if they were not recorded.
  std::span<const Column<LocalMessage>> local_message_rows() const { return local_message_rows_; }

  // With keep_packet_wakes, in order of time; and what flow ids mean, of several definitions the
  // last.
  std::span<const PacketWake> packet_wakes() const { return packet_wakes_; }
  const FlowTable& flows() const { return flows_; }

  // Of a recording of many nodes their names, by Entity::node; else empty.
  const std::vector<std::string>& nodes() const { return nodes_; }
  // One without names, too.
  uint32_t node_count() const { return std::max(1u, static_cast<uint32_t>(nodes_.size())); }
  // Of many nodes: the messages behind waits for links, by receiver, each one's in order of time.
  std::span<const MessageFlight> flights() const { return flights_; }
  // Who asks whom over TCP, on any node (analyzer/flows): of all that was read, also in an excerpt.
  // Empty until packets were matched (nodes/own_messages.h, nodes/joined_nodes.h).
  std::span<const QuestionCount> questions() const { return questions_; }

  // As they stand in the files. Such a wait may not exist: its wake may have come before it, or it
  // may be joined to an earlier wait.
  std::span<const StackSample> stack_samples() const { return stack_samples_; }
  // The meanings of samples' object ids, by id. Of several definitions of one id the last counts.
  const absl::flat_hash_map<uint32_t, WaitObjectRecord>& wait_objects() const {
    return wait_objects_;
  }

  // The part from from_ns to to_ns, within the recording, as if only that had been recorded: same
  // entities, their times within it; waits that had begun before or end later are open. Losses are
  // those of the whole: where they were is not known. Without packets and stacks: the caller has
  // those of the whole.
  Timeline Excerpt(uint64_t from_ns, uint64_t to_ns) const;

  // As if the thread had said just before each of these sleeps that it had been woken for nothing:
  // each joins the wait before, with all between. `sleeps` in order. An entry that is no wait's
  // start, or has no wait before it, changes nothing. Returns how many waits were joined.
  uint64_t JoinWaits(std::span<const SleepStart> sleeps);

 private:
  friend class TimelineLoader;
  friend class TimelineJoiner;
  friend class OwnMessages;
  friend class HeldBackMarker;
  friend class TimelineKeeper;
  friend class RecentTimeline;
  // Calls use(piece, end_ns), where end_ns is when the piece's last segment ends. It may give the
  // thread another piece, of the same time.
  template <typename Use>
  void ForEachPiece(EntityId thread, Use use) {
    MakeAllSegments();
    const auto pieces = std::span(pieces_).subspan(first_piece_[thread], piece_count_[thread]);
    for (size_t i = 0; i < pieces.size(); ++i)
      use(pieces[i],
          i + 1 < pieces.size() ? pieces[i + 1].front().start_ns : entities_[thread].end_ns);
  }
  uint64_t JoinWaitsOf(EntityId thread, std::span<const SleepStart> sleeps);
  // Whoever changes segments needs all of them.
  void MakeAllSegments();
  // Adds the thread's segments up.
  void SumUp(EntityId thread);
  // Its segments within the excerpt that is being made of `whole`.
  void CopySegments(const Timeline& whole, EntityId thread);

  uint64_t start_ns_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t unread_ns_ = 0;
  Pauses pauses_;
  uint32_t cpus_ = 0;
  uint64_t events_ = 0;
  uint64_t lost_ = 0;
  uint64_t missing_blocks_ = 0;
  uint64_t blocks_ = 0;
  pb::Session session_;
  std::vector<NamedCount> counters_;
  std::vector<Entity> entities_;
  std::vector<EntityId> creators_;
  ProcessPrograms programs_;
  std::vector<uint8_t> ended_;
  std::vector<uint64_t> exits_;           // 0: not known
  std::vector<uint32_t> contradictions_;  // by thread
  // The segments lie where the events of their window were sorted by thread; a thread's row is the
  // pieces [first_piece_[thread], first_piece_[thread] + piece_count_[thread]).
  ColumnMemory memory_;
  std::vector<ColumnMemory> others_memory_;  // of timelines that were joined to this one
  std::vector<std::span<ThreadSegment>> pieces_;
  // When pieces_ begin, so that a search touches no other pieces: their pages may lie in files,
  // which the kernel maps two megabytes at a touch. Empty: the pieces tell.
  std::vector<uint64_t> piece_starts_ns_;
  std::unique_ptr<SegmentsOnDemand> on_demand_;  // makes pieces_; null: all are there
  std::vector<uint32_t> first_piece_ = {0};
  std::vector<uint32_t> piece_count_;
  std::vector<uint64_t> borders_;
  Column<BlockRecord> block_records_;
  std::vector<Column<PacketRecord>> packet_rows_ = std::vector<Column<PacketRecord>>(1);
  std::vector<Column<LocalMessage>> local_message_rows_ = std::vector<Column<LocalMessage>>(1);
  Column<PacketWake> packet_wakes_;
  FlowTable flows_;
  std::vector<std::string> nodes_;
  std::vector<uint32_t> node_cpus_;  // by node; empty: one node alone
  Column<MessageFlight> flights_;
  std::vector<QuestionCount> questions_;
  Column<StackSample> stack_samples_;
  absl::flat_hash_map<uint32_t, WaitObjectRecord> wait_objects_;
};

}  // namespace gordian
