// SPDX-License-Identifier: Apache-2.0
// The disks of a replay: queues with as many servers as each disk has slots.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

class DiskServer {
 public:
  // `factors` of service times, by disk; may be empty.
  DiskServer(const Score& score, const std::vector<double>& factors);

  // True if its service begins now, and will be over after ServiceOf. (What takes no time is
  // complete at once.)
  bool Ask(uint32_t request, uint64_t now_ns);
  // Its service is over. Gives the requests whose service begins now.
  std::vector<uint32_t> Complete(uint32_t request, uint64_t now_ns);

  // The request is never made.
  void Skip(uint32_t request) { MarkComplete(request); }

  bool IsComplete(uint32_t request) const { return complete_[request] != 0; }
  void Await(EntityId thread, uint32_t request) {
    next_waiter_[thread] = std::exchange(first_waiter_[request], thread);
  }
  void Forget(uint32_t request) { first_waiter_[request] = kNobody; }
  // Those since the last call; valid until the next one.
  const std::vector<EntityId>& TakeReleased() {
    taken_.clear();
    std::swap(taken_, released_);
    return taken_;
  }

  uint64_t ServiceOf(uint32_t request) const;
  std::vector<uint64_t> BusyUntil(uint64_t now_ns) const;

 private:
  struct Disk {
    uint32_t serving = 0;
    uint64_t since_ns = 0;
    uint64_t busy_ns = 0;
    std::deque<uint32_t> queue;  // requests
  };
  void MarkComplete(uint32_t request);
  void Begin(Disk& disk, uint64_t now_ns);

  const Score& score_;
  const std::vector<double>& factors_;
  std::vector<Disk> disks_;
  std::vector<uint8_t> complete_;       // by request
  std::vector<EntityId> first_waiter_;  // by request
  std::vector<EntityId> next_waiter_;   // by thread
  std::vector<EntityId> released_;
  std::vector<EntityId> taken_;
};

}  // namespace gordian
