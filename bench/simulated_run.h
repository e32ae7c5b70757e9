// SPDX-License-Identifier: Apache-2.0
// A simulated cluster while it is played (simulated_cluster.h): what each of its parts does now,
// and what is due. Inner to the room.
//
//   simulated_cluster.cc   what there is: nodes, threads, how much the limit takes; files and truth
//   simulated_threads.cc   threads on CPUs, at locks, and at disks
//   simulated_packets.cc   questions and answers on their way
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/simulated_cluster.h"
#include "bench/simulated_places.h"
#include "bench/simulated_recorder.h"
#include "trace/block_encoder.h"

namespace gordian {

inline constexpr uint32_t kNobodyRuns = UINT32_MAX;
inline constexpr uint64_t kDispatchNs = 2'000;

enum class SimulatedStep : uint8_t { kAsleep, kBegin, kHold, kDisk, kAsk, kFinish };

struct SimulatedThread {
  uint64_t since_ns = kSimulatedStartNs;  // waits, or is runnable
  uint32_t next = kNobodyRuns;            // behind it in a row of threads
  uint32_t switches = 0;
  // Of the packets of its connection to the next service.
  uint32_t request_sequence = 0;
  uint32_t answer_sequence = 0;
  SimulatedStep step = SimulatedStep::kAsleep;
  int16_t cpu = -1;
};

struct SimulatedRow {
  uint32_t first = kNobodyRuns;
  uint32_t last = kNobodyRuns;
  bool empty() const { return first == kNobodyRuns; }
};

struct SimulatedLock {
  uint32_t holder = kNobodyRuns;
  SimulatedRow waiting;
};

struct SimulatedNode {
  std::vector<uint32_t> running;  // by CPU
  uint64_t idle = 0;              // CPUs, one bit each
  SimulatedRow ready;
  uint64_t disk_free_ns = 0;
};

// What happens next, and when.
struct SimulatedDue {
  enum class What : uint8_t { kBegin, kDispatch, kWorked, kArrive, kAgain, kDiskDone };
  uint64_t time_ns = 0;
  uint32_t order = 0;
  uint32_t subject = 0;  // a thread; of kDispatch a node and CPU
  uint64_t sent_ns = 0;  // of packets, and issued of disks
  What what = What::kBegin;
  SimulatedWay way = SimulatedWay::kRequest;
  bool is_again = false;
  bool operator>(const SimulatedDue& other) const {
    return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
  }
};

class ClusterSimulation {
 public:
  ClusterSimulation(const SimulatedShape& shape, const std::string& directory)
      : shape_(shape), directory_(directory), places_(shape), random_(shape.seed * 2 + 1) {}
  absl::StatusOr<SimulatedTruth> Run();

 private:
  uint32_t Services() const { return static_cast<uint32_t>(shape_.services); }
  uint64_t Random() {  // xorshift*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return random_ * 2685821657736338717ULL;
  }
  // From half to one and a half times.
  uint64_t About(uint64_t ns) { return ns / 2 + (Random() >> 32) * ns / (uint64_t{1} << 32); }
  void Plan(uint64_t time_ns, SimulatedDue due) {
    due.time_ns = time_ns;
    due.order = order_++;
    due_.push(due);
  }
  SimulatedRecorder& RecorderOf(uint32_t thread) {
    return recorders_[static_cast<size_t>(places_.NodeOf(thread))];
  }
  SimulatedNode& NodeOf(uint32_t thread) {
    return nodes_[static_cast<size_t>(places_.NodeOf(thread))];
  }
  SimulatedLock& LockOf(uint32_t thread) {
    return locks_[static_cast<size_t>(places_.NodeOf(thread)) * Services() +
                  static_cast<size_t>(places_.ServiceOf(thread))];
  }
  SimulatedWaits& WaitsOf(uint32_t thread) {
    return truth_.waits[static_cast<size_t>(places_.ServiceOf(thread))];
  }
  bool IsLast(uint32_t thread) const { return places_.ServiceOf(thread) + 1 == shape_.services; }
  bool IsFirst(uint32_t thread) const { return places_.ServiceOf(thread) == 0; }

  void Push(SimulatedRow& row, uint32_t thread) {
    threads_[thread].next = kNobodyRuns;
    if (row.empty()) {
      row.first = thread;
    } else {
      threads_[row.last].next = thread;
    }
    row.last = thread;
  }
  uint32_t Pop(SimulatedRow& row) {
    const uint32_t thread = row.first;
    row.first = threads_[thread].next;
    return thread;
  }
  // What happens counts, whether it is recorded or not: so a cluster without disturbances and one
  // with them last as long.
  TraceEvent* Add(EventKind kind, uint32_t thread, int cpu, uint64_t time_ns) {
    ++happened_;
    return RecorderOf(thread).Add(kind, cpu, time_ns);
  }

  absl::Status Open();
  // What the limit takes of each request, so that it is one for the lanes that share it.
  void SetWork();
  TaskRecord TaskOf(uint32_t thread) const;
  void TellProcesses(int node, SimulatedRecorder& recorder) const;
  void TellThreads();
  absl::StatusOr<SimulatedTruth> Finish();

  void Act(const SimulatedDue& due);
  // A timer wakes the first of a lane.
  void Start(uint32_t thread);
  // Of a thread that waits; returns when.
  uint64_t Wake(uint32_t thread, int cpu, WakeEvent wake, uint64_t time_ns);
  // A recorder that was pausing tells its threads again.
  void Resume(uint32_t any, uint64_t time_ns);
  bool IsReady(uint32_t thread);
  void Dispatch(int number, int cpu);
  // `any` is a thread of that node.
  void Switch(uint32_t any, int cpu, uint32_t from, uint32_t to, uint32_t state, uint64_t time_ns);
  // It left the CPU to wait.
  void LeaveCpu(uint32_t thread, uint32_t state, uint64_t time_ns);
  void Work(uint32_t thread, uint64_t time_ns);
  // Begin (work) → lock → hold → disk, or ask the next service → finish (work) → answer.
  void Worked(uint32_t thread);
  void Unlock(uint32_t thread);
  void AskDisk(uint32_t thread);
  BlockEvent Request(uint32_t thread) const;
  void DiskDone(const SimulatedDue& due);
  void Ask(uint32_t thread);
  void Answer(uint32_t thread);

  uint64_t Send(uint32_t sender, uint32_t caller, SimulatedWay way);
  uint64_t WayNs();
  // The kernel does, in its timer.
  void SendAgain(const SimulatedDue& due);
  void AddPacket(EventKind kind, uint32_t here, int cpu, uint64_t time_ns, uint32_t caller,
                 SimulatedWay way, int32_t tid);
  void Arrive(const SimulatedDue& due);
  void NotePacketWait(uint32_t receiver, uint32_t sender, uint64_t since_ns,
                      const SimulatedDue& due, uint64_t woken_ns);

  const SimulatedShape& shape_;
  const std::string directory_;
  const SimulatedPlaces places_;
  BlockEncoder encoder_;
  std::deque<SimulatedRecorder> recorders_;
  std::vector<SimulatedNode> nodes_;
  std::vector<SimulatedLock> locks_;
  std::vector<SimulatedThread> threads_;
  std::vector<std::vector<uint32_t>> threads_on_;  // by node
  std::vector<uint64_t> work_ns_;                  // by service
  std::vector<uint64_t> hold_ns_;
  uint64_t disk_ns_ = 0;
  std::priority_queue<SimulatedDue, std::vector<SimulatedDue>, std::greater<>> due_;
  std::ofstream hand_overs_;
  SimulatedTruth truth_;
  uint64_t random_ = 1;
  uint64_t now_ns_ = kSimulatedStartNs;
  uint64_t happened_ = 0;
  uint32_t order_ = 0;
};

}  // namespace gordian
