// SPDX-License-Identifier: Apache-2.0
// The contents of one block of events, sorted by the thread or CPU they concern.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/pauses.h"
#include "analyzer/timeline/thread_record.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/wake_cause.h"
#include "trace/event_block.h"

namespace gordian {

// Locks are known by their address; numbers are shorter. Their order is chance. Thread-safe.
class LockNumbers {
 public:
  uint32_t NumberOf(uint64_t address);

 private:
  std::mutex mutex_;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;
};

struct TimedTask {
  uint64_t time_ns = 0;
  TaskRecord task;
};

// A thread had a lock: it took it (its spin ended) or released it.
struct LockRecord {
  uint32_t lock = 0;
  int32_t tid = 0;
  uint64_t time_ns = 0;
};

struct LossRecord {
  uint16_t cpu = 0;
  LossEvent loss;
  uint64_t time_ns = 0;
};

// Without a stack an event is still whole.
inline bool MakesTimelineLess(EventKind lost) {
  return lost != EventKind::kStackSample && lost != EventKind::kStack &&
         lost != EventKind::kWaitObject && lost != EventKind::kWork &&
         lost != EventKind::kLocalMessage;
}

// A CPU's first and last switch in a block.
struct SwitchEnd {
  uint64_t time_ns = 0;
  int32_t tid = 0;  // first: the thread that left. last: the thread that came
  uint16_t cpu = 0;
};

// Between two switches of a CPU that do not fit together: the thread that leaves is not the one
// that came.
struct HiddenSwitch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint16_t cpu = 0;
};

// A stack sample and the event it belongs to: see StackSample.
struct StackRecordOfThread {
  uint64_t time_ns = 0;
  uint32_t stack_id = 0;
  int32_t tid = 0;
  StackMoment moment = StackMoment::kWait;
  uint8_t weight_log2 = 0;
  uint32_t object_id = 0;
};

// … of a timeline that starts then; `thread` still holds the tid.
inline StackSample SampleOfTid(const StackRecordOfThread& sample, uint64_t start_ns) {
  constexpr uint64_t kMostNs = (uint64_t{1} << 56) - 1;
  return {.since_start_ns = std::min(std::max(sample.time_ns, start_ns) - start_ns, kMostNs),
          .weight_log2 = sample.weight_log2,
          .moment_value = static_cast<uint64_t>(sample.moment),
          .stack_id = sample.stack_id,
          .thread = static_cast<EntityId>(sample.tid),
          .object_id = sample.object_id};
}

// Time that a kernel worker spent on work of one kind.
struct WorkRecord {
  int32_t tid = 0;
  uint64_t time_ns = 0;
  uint64_t duration_ns = 0;
  std::string name;
};

struct DecodedBlock {
  // In order of time, as two columns: the events, and their threads.
  std::vector<ThreadRecord> records;
  std::vector<int32_t> tids;

  // The rest is rare, or small.
  std::vector<TimedTask> tasks;
  std::vector<LockRecord> locks;
  std::vector<LossRecord> losses;
  std::vector<HiddenSwitch> hidden_switches;  // within the block
  std::optional<SwitchEnd> first_switch;
  std::optional<SwitchEnd> last_switch;
  std::vector<BlockRecord> block_records;    // `thread` still holds the tid
  std::vector<PacketRecord> packet_records;  // likewise
  std::vector<PacketWake> packet_wakes;      // likewise
  std::vector<LocalMessage> local_messages;  // likewise
  std::vector<FlowRecord> flows;             // definitions
  std::vector<WakeSource> sources;           // causes of its wakes, except threads
  std::vector<int32_t> mentioned;            // tids that may not have records of their own
  std::vector<StackRecordOfThread> stack_samples;
  std::vector<WaitObjectRecord> wait_objects;  // definitions
  std::vector<WorkRecord> works;
  uint64_t samples_without_event = 0;  // whose switch or wake is not in this block
  uint64_t events = 0;
  size_t rank = 0;  // in the order in which a source decodes its blocks; not touched here
  // Where the samples were put, and how many; the loader's, and not touched here.
  size_t first_sample = 0;
  size_t sample_count = 0;

  // Replaces everything, keeps the memory. The block's times are recorded times.
  void Take(const EventBlock& block, const Pauses& pauses, LockNumbers& lock_numbers);

 private:
  void Mention(int32_t tid);
  void TakeSwitch(const TraceEvent& event);
  void TakeWake(const TraceEvent& event, int32_t current_tid);
  void TakeTask(const TaskRecord& task, uint64_t time_ns, uint16_t cpu, const Pauses& pauses);
  void TakeProbe(const TraceEvent& event, LockNumbers& lock_numbers);
  void TakeRequest(const TraceEvent& event);
  void TakePacket(const TraceEvent& event);
  void TakeLocalMessage(const TraceEvent& event);
};

}  // namespace gordian
