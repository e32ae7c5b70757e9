// SPDX-License-Identifier: Apache-2.0
// Lines of the neutral scheduler CSV (docs/import-csv.md) → events and the session they belong to.
//
// State per CPU (the running thread, the open softirqs), per living thread (its identity) and per
// disk request in flight; nothing grows with the length of the trace.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "import/csv_fields.h"
#include "import/device_names.h"
#include "import/event_buffers.h"
#include "schema/session.pb.h"

namespace gordian {

class CsvTranslator {
 public:
  static constexpr uint64_t kMaxTimeNs = INT64_MAX;
  static constexpr uint64_t kMaxCpu = 8191;
  static constexpr size_t kMaxThreads = 4u << 20;  // alive at once: the kernel's own limit
  static constexpr size_t kMaxRequestsInFlight = 1u << 20;
  static constexpr size_t kMaxLockNames = 1u << 20;
  static constexpr int kMaxMetaEntries = 1 << 16;
  static constexpr size_t kMaxSoftirqDepth = 16;
  static constexpr size_t kMaxNameBytes = 255;

  explicit CsvTranslator(BlockSink sink) : buffers_(std::move(sink)) {}

  // InvalidArgument, with the reason, for a line that is wrong; any other error is the sink's.
  absl::Status TakeLine(std::string_view line);

  // Hands on the events still held and adds the lines' account of the recording to `session`.
  absl::Status Finish(pb::Session& session);

  uint64_t events() const { return buffers_.events(); }

 private:
  using Handler = absl::Status (CsvTranslator::*)();
  struct KindDefinition;
  struct OpenSoftirq {
    uint64_t entry_time_ns = 0;
    uint16_t vector = 0;
    bool woke = false;
  };
  struct CpuState {
    int32_t running_tid = -1;  // -1: no switch seen yet
    std::vector<OpenSoftirq> open;
  };
  struct Thread {
    int32_t tgid = 0;
    int32_t parent_tid = 0;
    uint64_t start_time_ns = 0;  // 0: before the trace began
    std::string comm;
  };
  using RequestKey = std::pair<int32_t, uint32_t>;  // tid and disk

  static const KindDefinition* FindKind(std::string_view name);
  absl::Status TakeTimeAndCpu();

  // One handler per kind. They read fields_ from kFirstArgument on.
  absl::Status Meta();
  absl::Status AliveThread();
  absl::Status Switch();
  absl::Status Wakeup();
  absl::Status SoftirqEntry();
  absl::Status SoftirqExit();
  absl::Status Create();
  absl::Status Exec();
  absl::Status Exit();
  absl::Status DiskIssue();
  absl::Status DiskDone();
  absl::Status NetSend();
  absl::Status SpinBegin() { return Lock(ProbeKind::kSpinBegin); }
  absl::Status SpinEnd() { return Lock(ProbeKind::kSpinEnd); }
  absl::Status SpinRelease() { return Lock(ProbeKind::kSpinRelease); }
  absl::Status CondWaitBegin() { return Mark(ProbeKind::kCondWaitBegin); }
  absl::Status CondWaitEnd() { return Mark(ProbeKind::kCondWaitEnd); }
  absl::Status FalseWakeup() { return Mark(ProbeKind::kFalseWakeup); }

  absl::Status Lock(ProbeKind kind);
  absl::Status Mark(ProbeKind kind);
  absl::Status DiskRequest(TraceEvent& event);
  absl::Status WakeCause(std::string_view text, WakeEvent& wake);
  absl::Status WakeDevice(std::string_view context, std::string_view name, WakeEvent& wake);

  TraceEvent NewEvent(EventKind kind) const;
  // Argument `index` of the line, counted from 0 behind the kind.
  std::string_view Argument(size_t index) const;
  absl::Status ThreadArgument(size_t index, std::string_view what, int32_t& tid) const;
  absl::Status DashArgument(size_t index) const;
  absl::Status NeedCpu(std::string_view kind) const;
  CpuState& Cpu();  // of this line; only behind NeedCpu
  TaskRecord Identity(TaskChange change, int32_t tid) const;
  absl::Status Remember(int32_t tid, Thread thread);
  // Keeps count of those no line has introduced.
  void Notice(int32_t tid);

  EventBuffers buffers_;
  CsvFields fields_;
  DeviceNames devices_;
  pb::Session described_;  // by meta lines

  uint64_t lines_ = 0;  // that told something
  uint64_t first_time_ns_ = 0;
  uint64_t time_ns_ = 0;  // of this line
  uint16_t cpu_ = kNoCpu;
  uint64_t told_duration_ns_ = 0;
  uint32_t cpus_seen_ = 0;

  std::vector<CpuState> cpus_;
  absl::flat_hash_map<int32_t, Thread> threads_;
  absl::flat_hash_set<int32_t> unnamed_;
  absl::flat_hash_map<RequestKey, std::deque<uint64_t>> issue_times_ns_;
  size_t requests_in_flight_ = 0;
  absl::flat_hash_map<std::string, uint64_t> lock_names_;
};

}  // namespace gordian
