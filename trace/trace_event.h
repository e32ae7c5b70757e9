// SPDX-License-Identifier: Apache-2.0
// One event of a trace, as all code above the file format sees it.
//
// The recorder fills these from the kernel's records, the importer from CSV, the reader from the
// columns of a block. An event is a small value of fixed size. Data that does not fit (names,
// addresses) stands in a side table of the same block (see event_block.h), and the event holds its
// index.
//
// Times are CLOCK_MONOTONIC nanoseconds of the recorded node.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace gordian {

// Values are written to files: only append.
enum class EventKind : uint8_t {
  kSwitch = 1,         // a CPU changed from one thread to another
  kWake = 2,           // a thread was made runnable
  kIrqRun = 3,         // one run of a softirq or hardirq handler ended
  kBlockIssue = 4,     // a request went to a disk
  kBlockComplete = 5,  // a disk finished a request
  kNetSend = 6,        // a packet was handed to an interface
  kNetReceive = 7,     // a packet arrived from an interface, other than in its sender's system call
  kTask = 8,           // a thread was seen, born, renamed, replaced by exec, or died
  kProbe = 9,          // the program itself said something (spins, false wakeups, phases, counters)
  kLoss = 10,          // records that could not be written
  kFlow = 11,          // the definition of a flow id
  kStackSample = 12,   // where in its code a thread was
  kStack = 13,         // the definition of a stack id
  kWaitObject = 14,    // the definition of a wait object's id
  kWork = 15,          // what a kernel worker did
  kLocalMessage = 16,  // a thread sent or received data on a unix socket or a pipe
};
inline constexpr int kEventKinds = 17;
const char* EventKindName(EventKind kind);  // as event_schema.cc has it

// The CPU of events that belong to none (imported traces write -1).
inline constexpr uint16_t kNoCpu = 0xffff;

// Kernel task states as in /proc and the scheduler's own bit mask (stable since 4.14).
inline constexpr uint32_t kStateRunning = 0;
inline constexpr uint32_t kStateInterruptible = 0x1;
inline constexpr uint32_t kStateUninterruptible = 0x2;
inline constexpr uint32_t kStateIdle =
    0x402;  // a kernel thread without work: a sleep that is no load
inline constexpr uint32_t kStateStopped = 0x4;
inline constexpr uint32_t kStateTraced = 0x8;
inline constexpr uint32_t kStateExitDead = 0x10;
inline constexpr uint32_t kStateExitZombie = 0x20;
inline constexpr uint32_t kStateParked = 0x40;
inline constexpr uint32_t kStateDead = 0x80;
inline constexpr uint32_t kStateWaking = 0x200;

struct SwitchEvent {
  int32_t prev_tid = 0;  // 0 is this CPU's idle thread
  int32_t next_tid = 0;
  uint32_t prev_state = 0;  // bit mask; meaningless when preempted
  bool preempted = false;   // prev stays runnable, regardless of its state
};

// The source of a wake. Values are written to files: only append.
enum class WakeContext : uint8_t {
  kThread = 0,   // the waker thread itself
  kSoftirq = 1,  // a softirq handler; `vector` is its number
  kHardirq = 2,  // a device's interrupt handler; `vector` is its irq number
  kTimer = 3,    // an expiring timer, in any interrupt
  kNmi = 4,
};

// Values are written to files: only append.
enum class DeviceKind : uint8_t {
  kNone = 0,
  kDisk = 1,  // device is major << 20 | minor
  kNic = 2,   // device is the interface index
};

inline constexpr uint32_t DiskId(uint32_t major, uint32_t minor) { return major << 20 | minor; }

struct WakeEvent {
  int32_t wakee_tid = 0;
  int32_t waker_tid = 0;  // the thread on the CPU, which outside of kThread was only interrupted …
  WakeContext context = WakeContext::kThread;
  bool waker_is_cause =
      true;  // … unless this is set: e.g. loopback packets run in their sender's softirq
  DeviceKind device_kind = DeviceKind::kNone;
  uint16_t vector = 0;
  uint32_t device =
      0;  // the device whose completion or packet caused the wake, if device_kind says so
  uint32_t flow_id = 0;  // the flow of that packet; 0 is none
};

struct IrqRunEvent {  // time_ns is the end of the run
  uint64_t duration_ns = 0;
  uint16_t vector = 0;  // softirq vector, or irq number
  bool hard = false;
  bool woke = false;  // it woke a thread, and not the thread that it interrupted
};

enum class BlockOperation : uint8_t { kOther = 0, kRead = 1, kWrite = 2, kFlush = 3, kDiscard = 4 };

struct BlockEvent {  // issue and complete
  uint64_t sector = 0;
  uint64_t service_ns = 0;  // complete: time since the issue, 0 if that was not seen
  uint32_t device = 0;
  uint32_t bytes = 0;
  int32_t tid = 0;  // the thread that submitted it
  BlockOperation operation = BlockOperation::kOther;
};

struct NetEvent {  // send and receive
  uint32_t flow_id = 0;
  uint32_t interface = 0;
  uint32_t bytes = 0;
  uint32_t sequence = 0;    // TCP: number of the first byte; others: see FORMAT.md, or 0
  int32_t tid = 0;          // the thread on the CPU
  bool in_softirq = false;  // … which was only interrupted
};

struct ProbeEvent;  // below
struct TableRef {
  uint32_t index = 0;  // into the block's side table of this kind
};

// Values are written to files: only append.
enum class ProbeKind : uint8_t {
  kSpinBegin = 1,
  kSpinEnd = 2,
  kSpinRelease = 3,
  kFalseWakeup = 4,
  kCondWaitBegin = 5,
  kCondWaitEnd = 6,
  kPhaseBegin = 7,
  kPhaseEnd = 8,
  kCount = 9,
};

struct ProbeEvent {
  int32_t tid = 0;
  ProbeKind kind = ProbeKind::kSpinBegin;
  uint32_t name = 0;  // index into the block's names: phase or counter; 0 is the empty name
  // A lock (its address within its process), a counter's value, or in kPhaseBegin the phase's key:
  // an index into the block's names as well.
  uint64_t value = 0;
};

// Whether its value is an index into the block's names.
inline constexpr bool HasKey(const ProbeEvent& event) {
  return event.kind == ProbeKind::kPhaseBegin;
}

// When a stack was taken. Values are written to files: only append.
enum class StackMoment : uint8_t {
  kWait = 1,  // of a thread that leaves its CPU to wait; time_ns is not before its switch, and
              // before any later event of the thread
  kWake = 2,  // of a thread that wakes another, likewise not before that wake
  kCpu = 3,   // of a running thread, at regular intervals
};

// Not every moment is sampled. Each wait (wake) of a thread was chosen by chance, with a
// probability of 2^-weight_log2 that was settled before it began. Counted 2^weight_log2 times, the
// chosen ones are an unbiased estimate of all. kCpu: each stands for the sampling interval.
struct StackSampleEvent {
  uint32_t stack_id =
      0;  // defined by a kStack event, which may come earlier or later; 0: not known
  int32_t tid = 0;
  StackMoment moment = StackMoment::kWait;
  uint8_t weight_log2 = 0;
  // kWait: the thing it waits for, defined by a kWaitObject event likewise; 0: not known.
  uint32_t object_id = 0;
};

struct LossEvent {  // time_ns is the end of the interval in which records were lost
  uint64_t duration_ns = 0;
  uint64_t count = 0;
  EventKind kind = EventKind::kSwitch;  // of what; a kernel record kind
};

// A kernel worker ran work of one queue and function several times, one after the other. time_ns is
// the end of that stretch.
struct WorkEvent {
  uint64_t duration_ns = 0;  // of all its runs
  int32_t tid = 0;
  uint32_t name = 0;  // of the queue, or of the function where all kinds of work share a queue: an
                      // index into the block's names
  uint32_t runs = 0;
};

// A send on a unix stream socket or a write to a pipe, or the receive or read of such data: each
// call that moved data. time_ns is about its end.
struct LocalMessageEvent {
  uint64_t since_ns = 0;  // sent: how long before time_ns its first data could be read
  uint32_t flow_id = 0;   // of a FlowRecord with a LocalChannel
  uint32_t bytes = 0;
  int32_t tid = 0;
  bool sent = false;
};

struct TraceEvent {
  uint64_t time_ns = 0;
  EventKind kind = EventKind::kSwitch;
  uint16_t cpu = 0;
  union {
    SwitchEvent sched_switch{};
    WakeEvent wake;
    IrqRunEvent irq_run;
    BlockEvent block;
    NetEvent net;
    TableRef task;  // into EventBlock::tasks
    TableRef flow;  // into EventBlock::flows
    ProbeEvent probe;
    LossEvent loss;
    StackSampleEvent stack_sample;
    TableRef stack;        // into EventBlock::stacks
    TableRef wait_object;  // into EventBlock::wait_objects
    WorkEvent work;
    LocalMessageEvent local_message;
  };
};
static_assert(std::is_trivially_copyable_v<TraceEvent>);
static_assert(sizeof(TraceEvent) <= 48);

// A change of a thread, with its whole identity each time, so that any one record names it. Values
// are written to files: only append.
enum class TaskChange : uint8_t {
  kAlive = 0,   // existed when the recording (or this segment of it) began
  kNew = 1,     // was created by parent_tid
  kExec = 2,    // replaced its program: `comm` is the new name
  kRename = 3,  // changed `comm`
  kExit = 4,
};

struct TaskRecord {
  TaskChange change = TaskChange::kAlive;
  bool kernel_thread = false;
  bool recorder = false;  // one of the recorder's own threads
  int32_t tid = 0;
  int32_t tgid = 0;
  int32_t parent_tid = 0;      // kNew: the creating thread; else the parent process
  int32_t namespaced_tid = 0;  // its id inside its own pid namespace
  uint32_t state = 0;          // kAlive: its state then
  // kAlive: how often it had left a CPU in its life.
  std::optional<uint64_t> switches;
  uint64_t start_time_ns = 0;  // with tid, tells two lives of one tid apart; 0: not known
  uint64_t cgroup_id = 0;
  std::string comm;
  // kAlive and kExec of a process's first thread, if they were recorded: its command line, masked
  // and joined (words/command_line.h), and its working directory then.
  std::string command;
  std::string directory;
  bool operator==(const TaskRecord&) const = default;
};

inline constexpr size_t kMaxStackFrames = 256;
inline constexpr uint8_t kMaxWeightLog2 = 63;

// Addresses as they stood in the registers and on the stack, innermost first: all but the first are
// return addresses, which point behind the call.
struct StackRecord {
  uint32_t stack_id = 0;  // equal stacks of one process have one id in a session
  int32_t tgid = 0;       // whose addresses `user` holds
  std::vector<uint64_t> kernel;
  std::vector<uint64_t> user;  // both together at most kMaxStackFrames
  bool exact = false;          // no user address was guessed; known while recording, not stored
  bool operator==(const StackRecord&) const = default;
};

// Numbers of interfaces in other network namespaces than the recorder's; below are the indices of
// its own.
inline constexpr uint32_t kFirstForeignInterface = 0x80000000;

// Values are written to files: only append.
enum class FlowFamily : uint8_t { kUnknown = 0, kIpv4 = 4, kIpv6 = 6 };

// A flow without packets: data that threads of one machine hand each other. Values are written to
// files: only append.
enum class LocalChannel : uint8_t { kNone = 0, kUnixSocket = 1, kPipe = 2 };
// Which of its ends accepted the connection. Likewise.
enum class LocalServer : uint8_t { kNotKnown = 0, kSource = 1, kDestination = 2 };

// An end of a local channel, as a flow's address holds it.
struct LocalEnd {
  uint64_t number = 0;  // no other end on this machine has had it since boot
  uint64_t inode = 0;   // 0: not known
  bool operator==(const LocalEnd&) const = default;
};
LocalEnd LocalEndOf(const std::array<uint8_t, 16>& address);
std::array<uint8_t, 16> AddressOf(const LocalEnd& end);

struct FlowRecord {
  uint32_t flow_id = 0;
  FlowFamily family = FlowFamily::kUnknown;
  uint8_t protocol = 0;  // IPPROTO_TCP, IPPROTO_UDP, …
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  std::array<uint8_t, 16> source{};  // IPv4 in the first four bytes
  std::array<uint8_t, 16> destination{};
  // Packets of that flow were seen to go on in this one: the kernel replaced their addresses (NAT).
  // 0: none was. A flow may be told again with it.
  uint32_t origin_flow_id = 0;
  // Of a local channel `source` and `destination` each hold two numbers of 8 bytes, lowest first:
  // the end's own, and its inode (0: not known, as it was not accepted yet). A pipe has one of each
  // for both ends. The family is kUnknown.
  LocalChannel local = LocalChannel::kNone;
  LocalServer server = LocalServer::kNotKnown;
  std::string name;  // the address that a socket's end is bound to (abstract: @NAME), a FIFO's path
  bool operator==(const FlowRecord&) const = default;
};

}  // namespace gordian
