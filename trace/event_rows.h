// Reads the events out of the columns of a pb::EventBlock: the reading half of what trace.proto
// describes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/column.h"
#include "trace/trace_event.h"

namespace gordian {

// How many events of each kind a block has, by kind.
using KindCounts = std::array<uint32_t, 256>;

// The columns of one message, checked against the number of events of each kind.
class EventRows {
 public:
  explicit EventRows(const pb::EventBlock& message);

  // DataLoss if a column has not one value per event of its kind. Nothing else may be called before
  // this was OK.
  absl::Status Check(const KindCounts& counts);

  // The next event of that kind. `threads` gives the thread of each code; its [0] is kept the
  // current thread. False if a value is out of its range.
  bool ReadSwitch(std::vector<int32_t>& threads, SwitchEvent& event);
  bool ReadWake(const std::vector<int32_t>& threads, WakeEvent& event);
  bool ReadIrqRun(IrqRunEvent& event);
  bool ReadBlockIssue(const std::vector<int32_t>& threads, BlockEvent& event);
  bool ReadBlockComplete(const std::vector<int32_t>& threads, BlockEvent& event);
  bool ReadNetSend(const std::vector<int32_t>& threads, NetEvent& event);
  bool ReadNetReceive(const std::vector<int32_t>& threads, NetEvent& event);
  bool ReadProbe(const std::vector<int32_t>& threads, size_t names, ProbeEvent& event);
  bool ReadLoss(LossEvent& event);
  bool ReadStackSample(const std::vector<int32_t>& threads, StackSampleEvent& event);

 private:
  struct Switches {
    ColumnView prev, next, state;
    size_t next_row = 0;
  };
  struct Wakes {
    ColumnView wakee, waker, cause;
    size_t next_row = 0;
  };
  struct BlockRequests {
    explicit BlockRequests(const pb::BlockColumns& columns);
    bool Holds(size_t count) const;
    bool Read(const std::vector<int32_t>& threads, BlockEvent& event);
    ColumnView device, sector_delta, bytes, operation, thread, service_ns;
    uint64_t sector_before = 0;
    size_t next_row = 0;
  };
  struct Packets {
    explicit Packets(const pb::NetColumns& columns);
    bool Holds(size_t count) const;
    bool Read(const std::vector<int32_t>& threads, NetEvent& event);
    ColumnView flow_id, interface, bytes, sequence, thread, in_softirq;
    size_t next_row = 0;
  };
  absl::Status ReadCauses();

  const pb::EventBlock& message_;
  Switches switches_;
  Wakes wakes_;
  std::vector<WakeEvent> causes_;  // with the threads left out
  struct {
    ColumnView duration_ns, source;
    size_t next_row = 0;
  } irq_runs_;
  BlockRequests block_issues_, block_completes_;
  Packets net_sends_, net_receives_;
  struct {
    ColumnView thread, kind, name, value;
    size_t next_row = 0;
  } probes_;
  struct {
    ColumnView duration_ns, count, kind;
    size_t next_row = 0;
  } losses_;
  struct {
    ColumnView stack_id, thread, moment, object_id;
    size_t next_row = 0;
  } stack_samples_;
};

}  // namespace gordian
