// Fills the columns of a pb::EventBlock from events: the writing half of what trace.proto
// describes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/column.h"
#include "trace/event_block.h"
#include "trace/name_table.h"
#include "trace/thread_dictionary.h"

namespace gordian {

// Keeps its memory from block to block.
class EventColumns {
 public:
  // `events` are some of `block`'s, in order of time. `message` must be cleared.
  // InvalidArgument if an event refers past the end of a side table.
  absl::Status Fill(const EventBlock& block, std::span<const TraceEvent> events,
                    pb::EventBlock& message);

 private:
  struct Switches {
    ColumnBuilder prev, next, state;
  };
  struct Wakes {
    ColumnBuilder wakee, waker, cause;
    ColumnBuilder cause_source, cause_device_kind, cause_device, cause_flow_id;
    // A cause as two words; the wakes of a block have few different ones.
    absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> index_of_cause;
    std::pair<uint64_t, uint64_t> last_cause;
    uint32_t last_index = 0;
  };
  struct IrqRuns {
    ColumnBuilder duration_ns, source;
  };
  struct BlockRequests {
    ColumnBuilder device, sector_delta, bytes, operation, thread, service_ns;
    uint64_t sector_before = 0;
  };
  struct Packets {
    ColumnBuilder flow_id, interface, bytes, sequence, thread, in_softirq;
  };
  struct Probes {
    ColumnBuilder thread, kind, name, value;
  };
  struct Losses {
    ColumnBuilder duration_ns, count, kind;
  };
  struct StackSamples {
    ColumnBuilder stack_id, thread, moment, object_id;
  };
  struct Tasks {
    ColumnBuilder change, tid_delta, tgid_distance, parent_tid_delta, namespaced_distance, state;
    ColumnBuilder start_time_delta_ns, cgroup_delta, comm, switches;
    NameTableBuilder comms;
    bool tells_switches = false;
  };

  // The slot of a thread, or kCurrent.
  uint32_t Thread(int32_t tid);
  absl::Status Add(const EventBlock& block, const TraceEvent& event);
  void AddSwitch(const SwitchEvent& event);
  void AddWake(const WakeEvent& event);
  uint32_t CauseIndex(const WakeEvent& event);
  void AddBlockRequest(const BlockEvent& event, BlockRequests& columns);
  void AddPacket(const NetEvent& event, Packets& columns);
  void AddTask(const TaskRecord& task);
  absl::Status AddStack(const EventBlock& block, const TraceEvent& event);
  void MoveThreads(ColumnBuilder& column, pb::Column& out);
  void MoveColumns(pb::EventBlock& message);
  void MoveSwitchesAndWakes(pb::EventBlock& message);
  void MoveBlockRequests(BlockRequests& columns, pb::BlockColumns& out);
  void MovePackets(Packets& columns, pb::NetColumns& out);
  void MoveTasks(pb::TaskColumns& out);
  void MoveStackSamples(pb::StackSampleColumns& out);

  ColumnBuilder time_delta_ns_;
  ThreadDictionary threads_;
  NameTableBuilder names_;
  int32_t current_tid_ = 0;
  TaskRecord task_before_;
  Switches switches_;
  Wakes wakes_;
  IrqRuns irq_runs_;
  BlockRequests block_issues_, block_completes_;
  Packets net_sends_, net_receives_;
  Probes probes_;
  Losses losses_;
  Tasks tasks_;
  std::vector<const FlowRecord*> flows_;
  StackSamples stack_samples_;
  std::vector<const StackRecord*> stacks_;
  std::vector<const WaitObjectRecord*> wait_objects_;
};

// Writes the flows' columns.
void FillFlowColumns(std::span<const FlowRecord* const> flows, pb::FlowColumns& out);
// Writes the stacks' columns.
void FillStackColumns(std::span<const StackRecord* const> stacks, pb::StackColumns& out);
// Writes the wait objects' columns.
void FillWaitObjectColumns(std::span<const WaitObjectRecord* const> objects,
                           pb::WaitObjectColumns& out);

}  // namespace gordian
