// SPDX-License-Identifier: Apache-2.0
// The data that the analyzer's stages hand to each other, in order:
//
//   timeline -> waits -> cascade -> graph -> knots -> findings
//
// Plain values in columns or rows; ids are small indices, so that every stage can use arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace_event.h"

namespace gordian {

// Index of an entity: a thread (one life of a tid), or a pseudo-thread. Stable for one analysis.
using EntityId = uint32_t;
inline constexpr EntityId kNobody = 0xffffffff;

enum class EntityKind : uint8_t {
  kThread,
  kVirtual,  // the short-lived threads of one creator, as one long-running thread
  kDisk,
  kNic,
  kTimer,     // all sleeps end with it
  kIrq,       // interrupts that no device explains, one per softirq vector or irq number
  kRemote,    // a peer that was not recorded
  kLink,      // the way from one node to another: messages under way
  kUnknown,   // waits whose end has no recorded cause
  kHeldBack,  // data that a sender's kernel kept until an acknowledgement came
};

// The name of such an entity where its sender was not recorded.
inline constexpr char kHeldBackOfPeer[] = "held-back data of a peer";

struct Entity {
  EntityKind kind = EntityKind::kThread;
  std::string name;  // comm, or vda, eth0, timer, softirq rcu
  int32_t tid = 0;   // kThread
  int32_t tgid = 0;
  int32_t parent_tid = 0;
  std::string process_name;  // comm of the process' first thread
  // Of its process, at last; empty if not recorded. Clean text, short.
  std::string command;
  std::string directory;
  uint64_t start_time_ns = 0;  // with tid, one life
  uint64_t cgroup_id = 0;
  std::string container;  // of that cgroup, as people know it; empty: none
  uint32_t device = 0;    // kDisk, kNic
  uint32_t node = 0;      // of a recording of many nodes: index of its name
  bool kernel_thread = false;
  bool recorder = false;
  bool target = false;             // belongs to the target of the analysis
  EntityId merged_into = kNobody;  // a short-lived thread's virtual one

  // Its time within the recording. For a thread these add up to end_ns - begin_ns. unknown_ns is
  // time with an unknown state: around losses, and before its first event if its state then is not
  // known.
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  uint64_t wait_ns = 0;
  uint64_t spin_ns = 0;
  uint64_t unknown_ns = 0;
  // Devices: busy_ns with something in flight, the rest of their time idle.
  uint64_t busy_ns = 0;
  uint64_t several_ns = 0;  // disks: several requests in flight, or several threads waiting
  uint64_t bytes = 0;
  uint64_t operations = 0;
  uint64_t requests_without_end = 0;  // disks: requests without a seen completion
};

// What a process runs from then on until its next program, or its end.
struct Program {
  uint64_t start_ns = 0;  // of an exec; the first: when the process began
  std::string name;       // comm of its first thread
  std::string command;    // empty if not recorded; clean text, short
  std::string directory;  // the working directory at that exec, likewise
  bool operator==(const Program&) const = default;
};

// Why a wait ended, besides the waker.
enum class WaitCause : uint8_t {
  kThread,
  kDisk,
  kNic,
  kTimer,
  kIrq,
  kSpin,
  kIdleDevice,
  kCreator,
  kUnknown,
  kLink  // a message was under way
};

// Of a recording of many nodes a thread's or process' number alone says little.
inline constexpr uint64_t NumberOnNode(uint32_t node, int32_t number) {
  return uint64_t{node} << 32 | static_cast<uint32_t>(number);
}

struct Wait {
  uint64_t start_ns;
  uint64_t end_ns;
  EntityId waiter;
  EntityId waker;  // kNobody while open at the recording's end
  uint32_t state;  // kernel state while it waited
  WaitCause cause;
  bool open_start;  // it began before the recording
  bool open_end;    // it had not ended when the recording did
};

// One edge of the wait-for graph. weight_ns >= own_ns: the difference comes from the threads that
// wait for `from`.
struct Edge {
  EntityId from = 0;
  EntityId to = 0;
  uint64_t weight_ns = 0;  // cascaded
  uint64_t own_ns = 0;     // the waits themselves
  uint64_t count = 0;
  uint64_t longest_ns = 0;
};

// Data that `asker` sent to a server over TCP, which `answerer` sent data back to. An end that was
// not recorded is the interface.
struct QuestionCount {
  EntityId asker = kNobody;
  EntityId answerer = kNobody;
  uint64_t count = 0;
  bool operator==(const QuestionCount&) const = default;
};

// How a thread spent a part of the recording.
struct ThreadTimes {
  uint64_t life_ns = 0;
  uint64_t run_ns = 0;  // and spins
  uint64_t runnable_ns = 0;
  std::vector<Edge> waits;  // from it, one for each it waited for, in order of ids; own_ns alone
};

// Where one thread spends its time in its code, as far as it was sampled.
struct CodeProfile {
  struct Share {
    uint32_t place = 0;  // a function it runs in, or a way into a wait; numbered per recording
    double share = 0;    // of its sampled time
  };
  std::vector<Share> shares;  // in order of places; they add up to 1
  uint64_t samples = 0;
  double named = 0;  // share of the places that show code of the program's own
};

// All that the graph stages need to know of a recording. Edges are sorted by (from, to), one per
// pair.
struct WaitForGraph {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint32_t cpus = 0;                // of all nodes together
  std::vector<std::string> nodes;   // names by Entity::node; empty: one node alone
  std::vector<uint32_t> node_cpus;  // likewise
  std::vector<Entity> entities;
  std::vector<Edge> edges;
  // Of the whole recording, also where the graph is of a range: who asks whom does not change.
  // Sorted by (asker, answerer), one per pair.
  std::vector<QuestionCount> questions;
  uint64_t events = 0;
  uint64_t lost = 0;            // records lost while recording or unreadable now
  uint64_t missing_blocks = 0;  // of trace files; the number of records in them is not known
  uint64_t blocks = 0;          // that are there
  uint64_t cyclic_links =
      0;  // links the cascade did not make because they would have closed a cycle
};

}  // namespace gordian
