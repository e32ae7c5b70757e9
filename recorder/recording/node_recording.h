// SPDX-License-Identifier: Apache-2.0
// The one real Recording: one thread that drains, samples, writes and watches the limits, under one
// lock that the callers' Status, Snapshot and AddTargetPid take between its rounds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

#include "recorder/attach/kernel_programs.h"
#include "recorder/drain/irq_totals.h"
#include "recorder/drain/loss_watch.h"
#include "recorder/drain/ring_drain.h"
#include "recorder/probes/probe_source.h"
#include "recorder/recording/cost_meter.h"
#include "recorder/recording/joint_pace.h"
#include "recorder/recording/pace.h"
#include "recorder/recording/recorder_cpu.h"
#include "recorder/recording/recording.h"
#include "recorder/recording/suspend_watch.h"
#include "recorder/recording/watermark.h"
#include "recorder/sources/cgroups.h"
#include "recorder/sources/network_namespaces.h"
#include "recorder/sources/resources.h"
#include "recorder/stacks/stack_names.h"
#include "recorder/stacks/unwind_tables.h"
#include "recorder/tasks/identity_table.h"
#include "trace/session_writer.h"

namespace gordian {

class NodeRecording final : public Recording {
 public:
  static absl::StatusOr<std::unique_ptr<NodeRecording>> Start(RecordingOptions options);
  ~NodeRecording() override;

  RecordingStatus Status() const override;
  absl::StatusOr<RecordingStatus> Stop(EndReason reason) override;
  absl::Status Snapshot(const std::string& directory) override;
  absl::StatusOr<uint64_t> DescribeThreads(EventBlock& block) override;
  absl::Status AddTargetPid(int32_t pid) override;
  absl::Status Begin(uint64_t at_monotonic_ns) override;
  void SetNodeClock(const pb::NodeClock& clock) override;
  void SetBudget(double share) override { budget_share_ = share; }
  void LeaveCodeUnnamed() override { leave_code_unnamed_ = true; }

 private:
  static constexpr uint64_t kClocksIntervalNs = 10'000'000'000;

  explicit NodeRecording(RecordingOptions options);

  // Attaches everything; then, at its instant, lets it record.
  absl::Status Prepare();
  absl::Status BeginNow();
  absl::Status ResolveTargets(KernelOptions& kernel);
  absl::StatusOr<std::vector<std::string>> FindNamedGroups();
  absl::Status RecordAliveTasks();
  std::unordered_map<int32_t, IdentityTable::State> StatesNow();
  absl::Status RecordTasksAfterPause();
  absl::Status AppendTasks(EventBlock& block);

  void BeginAndRun(uint64_t at_monotonic_ns);
  void Run();
  // One round. Anything but OK ends the recording.
  absl::Status Round(uint64_t now_ns);
  void TellStacksAnew(uint64_t now_ns);
  absl::Status Drain();
  absl::Status Flush(uint64_t now_ns);
  absl::Status WriteProbes(uint64_t now_ns);
  pb::ResourceBlock SampleResources(uint64_t now_ns);
  absl::Status WriteResources(const pb::ResourceBlock& block);
  absl::Status WriteNotes(uint64_t now_ns);
  absl::Status WriteMark(uint64_t now_ns);
  void LearnInterfaces();
  void LearnCode(const EventBlock& block, size_t& seen);
  absl::Status Write(EventBlock& block);

  // Of this time, on the reference node's clock as well as it is known; this one's if it is not.
  uint64_t ReferenceNs(uint64_t now_ns) const;
  void SetPace(uint64_t now_ns);
  bool PaceRecords(uint64_t now_ns);
  // To the next round, or to an instant before at which the recording may pause or go on.
  uint64_t WaitNs(uint64_t longest_ns) const;
  // With a budget: pauses, or goes on.
  absl::Status KeepPace(uint64_t now_ns);
  absl::Status Pause();
  absl::Status GoOn();
  // The pause at hand lasts until then, as far as is known.
  void NotePauseUntil(uint64_t time_ns);
  // In all pauses up to that time.
  int64_t PausedNs(uint64_t until_ns) const;

  // The reason behind an error: a requested size limit and a full disk give the same one.
  EndReason ReasonOf(const absl::Status& error) const;
  void NoteEnd(EndReason reason, const absl::Status& error);
  absl::Status Finish();
  void NameCode();
  RecordingStatus StatusLocked() const;

  const RecordingOptions options_;
  uint64_t start_ns_ = 0;
  uint64_t attached_boottime_ns_ = 0;  // just before the hooks were attached

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool begin_asked_ = false;
  bool begun_ = false;
  bool stop_asked_ = false;
  bool ended_ = false;
  bool finished_ = false;
  EndReason end_reason_ = EndReason::kAsked;
  absl::Status error_;
  absl::Status names_error_;
  uint64_t end_ns_ = 0;

  std::unique_ptr<KernelPrograms> programs_;
  std::optional<Watermark> watermark_;
  std::unique_ptr<SessionWriter> writer_;
  std::unique_ptr<RingDrain> drain_;
  std::unique_ptr<LossWatch> losses_;
  std::unique_ptr<IrqTotals> irq_totals_;
  ResourceSampler resources_;
  pb::ResourceBlock last_resources_;  // taken when the recording ended
  CgroupTable cgroups_;
  NetworkNamespaces networks_;
  size_t interfaces_seen_ = 0;  // of the drain's foreign ones, those that networks_ has
  IdentityTable identity_;
  ProbeSource probes_;
  EventBlock probe_block_;
  std::vector<size_t> code_seen_;  // by CPU: of the events of its block, those LearnCode has seen
  std::unique_ptr<StackNames> stack_names_;      // with stacks
  std::unique_ptr<UnwindTables> unwind_tables_;  // with stacks, where the machine has them
  pb::Session session_;

  std::atomic<double> budget_share_;               // as it stands now
  std::unique_ptr<RecorderCpu::Share> cpu_share_;  // until the thread that drains takes it
  uint64_t start_own_ns_ = 0;                      // CPU time of the starting thread
  std::optional<Pace> pace_;                       // with a budget
  std::optional<JointPace> joint_pace_;            // … and a timetable, instead
  std::optional<CostMeter> cost_;
  bool paused_ = false;
  bool window_ends_ = false;  // the records drained now were written before a pause
  uint64_t paused_since_ns_ = 0;
  int64_t paused_before_ns_ = 0;  // in all earlier pauses

  std::optional<SuspendWatch> suspends_;
  uint64_t next_flush_ns_ = 0;
  uint64_t last_flush_ns_ = 0;
  bool stacks_are_wanted_ = false;  // by a reader that has not seen those told already
  uint64_t next_stacks_told_ns_ = 0;
  bool watermark_asked_ = false;  // since the last flush
  uint64_t next_resources_ns_ = 0;
  uint64_t next_notes_ns_ = 0;
  uint64_t next_clocks_ns_ = 0;
  uint64_t not_written_ = 0;  // taken from the rings after the disk was full
  uint64_t samples_not_written_ = 0;
  bool discard_ = false;
  std::atomic<bool> leave_code_unnamed_ = false;

  std::thread thread_;
};

}  // namespace gordian
