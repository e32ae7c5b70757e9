// SPDX-License-Identifier: Apache-2.0
// Small traces, written in tests like a timeline:
//
//   TraceBuilder t;
//   t.Thread(10, "A").Thread(20, "B");
//   t.At(1_ms).Cpu(0).Run(10);                         // idle → A
//   t.At(3_ms).Wake(20);                               // A wakes B
//   t.At(4_ms).Block(kStateInterruptible);             // A sleeps, the CPU goes idle
//   t.At(4_ms).Cpu(1).Run(20);
//   t.At(9_ms).WakeFromBlock(10, t.Disk("vda"));       // the disk's softirq interrupts B and wakes
//   A ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
//
// At and Cpu hold until they are said again. Impossible events abort with the reason: time that
// runs backwards, a thread on two CPUs, a switch away from a thread that was not running, a blocked
// thread that runs without a wake. Unchecked() allows it, for tests of damaged traces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "schema/session.pb.h"
#include "schema/symbols.pb.h"
#include "tests/support/time_literals.h"
#include "trace/event_block.h"

namespace gordian::testing {

// A frame of a stack, with its symbols in symbols.pb.zst.
struct BuiltFrame {
  std::string function;
  std::string module = "/usr/bin/program";
  std::string file;
  uint32_t line = 0;
};

inline constexpr uint32_t kSleep = kStateInterruptible;
inline constexpr uint32_t kDiskSleep = kStateUninterruptible;
inline constexpr uint32_t kDead = kStateDead;

class TraceBuilder {
 public:
  TraceBuilder();

  TraceBuilder& At(uint64_t time_ns);            // relative to Origin
  TraceBuilder& Cpu(uint16_t cpu);               // kNoCpu: no CPU; CPUs begin idle
  TraceBuilder& Origin(uint64_t start_time_ns);  // first of all; the monotonic time of At(0)
  TraceBuilder& Unchecked();

  // Identity. Thread is one that was alive at the start; its process is itself unless told.
  TraceBuilder& Thread(int32_t tid, std::string_view comm, int32_t tgid = 0);
  // Tells that it lives, and how often it has left a CPU, as recorders do behind a pause.
  TraceBuilder& Told(int32_t tid, uint32_t state, uint64_t switches);
  TraceBuilder& KernelThread(int32_t tid, std::string_view comm);
  TraceBuilder& New(int32_t parent_tid, int32_t tid, std::string_view comm, int32_t tgid = 0);
  TraceBuilder& Exec(int32_t tid, std::string_view comm, std::string_view command = "",
                     std::string_view directory = "");
  TraceBuilder& Rename(int32_t tid, std::string_view comm);
  // Tells the command line and the directory of a process that lives, in its own words.
  TraceBuilder& Command(int32_t tid, std::string_view command, std::string_view directory = "");
  // Tells a thread's identity again, now with the cgroup, which is added to the session.
  TraceBuilder& InCgroup(int32_t tid, uint64_t cgroup_id, std::string_view path);
  TraceBuilder& Exit(int32_t tid);  // a switch away with kDead follows

  // Switches. `state` is that of the thread that leaves; 0 means preempted.
  TraceBuilder& Switch(int32_t prev_tid, int32_t next_tid, uint32_t state);
  TraceBuilder& Run(int32_t tid);                                      // preempts the running
                                                                       // thread
  TraceBuilder& Block(uint32_t state = kSleep, int32_t next_tid = 0);  // the running thread

  // Wakes. The waker is the thread that runs on this CPU; outside of Wake it is only interrupted.
  TraceBuilder& Wake(int32_t wakee_tid);
  TraceBuilder& WakeFromSoftirq(int32_t wakee_tid, uint16_t vector);
  TraceBuilder& WakeFromBlock(int32_t wakee_tid, uint32_t disk);
  TraceBuilder& WakeFromNet(int32_t wakee_tid, uint32_t interface, uint32_t flow_id = 0);
  TraceBuilder& WakeFromHardirq(int32_t wakee_tid, uint16_t irq, uint32_t disk = 0);
  TraceBuilder& WakeFromTimer(int32_t wakee_tid);
  TraceBuilder& WakeLike(const WakeEvent& wake);  // anything else

  // Interrupts and devices. A run is added at its end.
  TraceBuilder& SoftirqRan(uint16_t vector, uint64_t duration_ns, bool woke = false);
  TraceBuilder& HardirqRan(uint16_t irq, uint64_t duration_ns, bool woke = false);
  TraceBuilder& Issue(const BlockEvent& request);
  TraceBuilder& Complete(const BlockEvent& request);
  TraceBuilder& NetSend(const NetEvent& packet);
  TraceBuilder& NetReceive(const NetEvent& packet);
  TraceBuilder& Flow(const FlowRecord& flow);
  TraceBuilder& LocalMessage(const LocalMessageEvent& message);
  TraceBuilder& Probe(int32_t tid, ProbeKind kind, std::string_view name = "", uint64_t value = 0);
  TraceBuilder& PhaseBegin(int32_t tid, std::string_view name, std::string_view key);
  TraceBuilder& Loss(EventKind kind, uint64_t count, uint64_t duration_ns = 0);

  // Stacks. AddStack defines one here and in symbols.pb.zst, innermost frames first, and gives its
  // id; its addresses are made up. A sample stands at the time said last, behind the events already
  // there.
  uint32_t AddStack(const std::vector<std::string>& kernel_functions,
                    const std::vector<BuiltFrame>& user = {}, int32_t tgid = 0);
  TraceBuilder& AddStackSample(int32_t tid, StackMoment moment, uint32_t stack_id,
                               uint8_t weight_log2 = 0, uint32_t object_id = 0);
  // Numbers it and gives its id, which a sample of a wait can name.
  uint32_t AddWaitObject(WaitObjectRecord object);
  // Written with the session if a stack was added.
  pb::Symbols& symbols() { return symbols_; }

  // The device of that name, added to the session the first time.
  uint32_t Disk(std::string_view name);
  uint32_t Interface(std::string_view name);

  // session.pb as it will be written. Its end is the latest time said so far.
  pb::Session& session();
  // The contents of each CPU's stream, in order of CPU; and of tasks.trace.
  std::vector<EventBlock> CpuBlocks() const;
  const EventBlock& TaskBlock() const { return known_threads_; }

  // Writes a complete session. `events_per_block` cuts the streams into several blocks.
  absl::Status WriteSession(const std::string& directory, size_t events_per_block = 1000);

 private:
  enum class Activity { kUnknown, kRunning, kRunnable, kBlocked, kGone };
  struct ThreadState {
    TaskRecord identity;
    Activity activity = Activity::kUnknown;
    bool woken = false;  // while it was still running
  };

  TraceEvent NewEvent(EventKind kind) const;
  TraceBuilder& Add(const TraceEvent& event);
  TraceBuilder& AddTask(TaskChange change, const TaskRecord& identity);
  void Check(bool holds, std::string_view what) const;
  void LeaveCpu(int32_t tid, uint32_t state);
  void EnterCpu(int32_t tid);
  void MakeRunnable(int32_t tid);
  int32_t Running() const;

  uint64_t origin_ns_ = 0;
  uint64_t time_ns_ = 0;
  uint16_t cpu_ = 0;
  bool checked_ = true;
  pb::Session session_;
  pb::Symbols symbols_;
  uint32_t wait_objects_ = 0;  // how many there are
  EventBlock known_threads_;
  std::map<uint16_t, EventBlock> cpus_;
  std::map<uint16_t, int32_t> running_;  // by CPU
  std::map<int32_t, ThreadState> threads_;
};

}  // namespace gordian::testing
