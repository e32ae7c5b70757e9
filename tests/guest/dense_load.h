// SPDX-License-Identifier: Apache-2.0
// Threads that switch, wake, send, fork and call as often as they are told to, while others make
// interrupts as dense as the machine can: timers, packets, inter-processor interrupts, disk writes.
//
// All threads stand at a gate, asleep, before they begin and again when they are done: there they
// cause no event. So whatever counts from before the one gate until after the other has counted the
// same events, wherever else it began.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace gordian::testing {

struct DenseLoadOptions {
  uint64_t rounds = 1000;  // of two threads of each CPU that wake each other
  uint64_t seed = 1;
  std::string directory;  // on the disk that is to be written to
};

// As long as it lives a thread computes on each CPU.
class BusyCpus {
 public:
  BusyCpus();
  ~BusyCpus();
  BusyCpus(const BusyCpus&) = delete;
  BusyCpus& operator=(const BusyCpus&) = delete;

 private:
  std::atomic<bool> enough_{false};
  std::vector<std::thread> threads_;
};

class DenseLoad {
 public:
  static constexpr uint32_t kPayloadBytes = 777;                // of each datagram
  static constexpr uint32_t kPacketBytes = kPayloadBytes + 42;  // with headers
  static constexpr char kCountedCall[] = "getppid";

  // The threads are made, and asleep at the first gate.
  explicit DenseLoad(const DenseLoadOptions& options);
  ~DenseLoad();
  DenseLoad(const DenseLoad&) = delete;
  DenseLoad& operator=(const DenseLoad&) = delete;

  // Opens the first gate. When this returns, all are asleep at the second.
  void Run();

  std::vector<int32_t> tids() const;
  // How often each left a CPU between the gates, as the kernel accounts for it.
  std::map<int32_t, uint64_t> switches() const;
  // Known from the work itself, when it is done.
  uint64_t calls() const { return calls_; }      // of kCountedCall, by these threads
  uint64_t packets() const { return packets_; }  // of kPacketBytes
  uint64_t forks() const { return forks_; }
  int32_t forker_tid() const { return forker_tid_; }

 private:
  struct Worker;
  struct Gate;

  void Add(int cpu, std::function<void()> work);
  void AddPingPong(int cpu);
  void AddTimer(int cpu, uint64_t seed);
  void AddSender(int cpu);
  void AddForker(int cpu);
  void AddInterrupter(int cpu);
  void AddWriter(int cpu, const std::string& directory);
  void AwaitAll(int gate) const;
  std::map<int32_t, uint64_t> SwitchesSoFar() const;

  const uint64_t rounds_;
  std::unique_ptr<Gate> begin_;
  std::unique_ptr<Gate> end_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<int32_t, uint64_t> switches_before_;
  std::map<int32_t, uint64_t> switches_after_;
  std::atomic<int> busy_pairs_{0};  // the others go on until these are done
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> packets_{0};
  std::atomic<uint64_t> forks_{0};
  std::atomic<int32_t> forker_tid_{0};
};

}  // namespace gordian::testing
