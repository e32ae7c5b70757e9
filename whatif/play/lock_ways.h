// SPDX-License-Identifier: Apache-2.0
// Locks that are split: which thread has which, and which threads wait.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

class LockWays {
 public:
  explicit LockWays(const Score& score) : score_(score) {
    for (const ScoreLock& lock : score.locks) {
      Lock& made = locks_.emplace_back();
      made.ways.resize(lock.ways);
      made.way_of.resize(score.threads(), kNone);
      made.times.resize(score.threads());
    }
  }

  // False if the thread must wait; Release tells when it has it. Taking a lock that it already has
  // changes nothing.
  bool Acquire(EntityId thread, uint32_t number) {
    Lock& lock = locks_[number];
    if (lock.way_of[thread] != kNone) return true;
    const uint32_t way = Chosen(thread, lock.times[thread]++, score_.locks[number].ways);
    lock.way_of[thread] = way;
    if (lock.ways[way].holder == kNobody) {
      lock.ways[way].holder = thread;
      return true;
    }
    lock.ways[way].queue.push_back(thread);
    return false;
  }
  struct Released {
    EntityId next = kNobody;       // has it now
    std::vector<EntityId> served;  // their work under it is done, and they have given it back
  };
  Released Release(EntityId thread, uint32_t number) {
    Lock& lock = locks_[number];
    Released released;
    if (lock.way_of[thread] == kNone) return released;
    Way& way = lock.ways[std::exchange(lock.way_of[thread], kNone)];
    if (way.holder != thread) return released;  // it went on by force
    released.served = std::exchange(way.followers, {});
    for (const EntityId follower : released.served) lock.way_of[follower] = kNone;
    way.holder = way.queue.empty() ? kNobody : way.queue.front();
    released.next = way.holder;
    if (way.holder == kNobody) return released;
    way.queue.pop_front();
    if (score_.locks[number].grouped) {
      way.followers.assign(way.queue.begin(), way.queue.end());
      way.queue.clear();
    }
    return released;
  }
  // A thread that went on by force waits no more.
  void Forget(EntityId thread, uint32_t number) {
    Lock& lock = locks_[number];
    Way& way = lock.ways[lock.way_of[thread]];
    std::erase(way.queue, thread);
    std::erase(way.followers, thread);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Way {
    EntityId holder = kNobody;
    std::deque<EntityId> queue;
    std::vector<EntityId> followers;  // the holder works for them too
  };
  struct Lock {
    std::vector<Way> ways;
    std::vector<uint32_t> way_of;  // by thread
    std::vector<uint64_t> times;   // by thread
  };

  // As by chance, but the same each time: the bits of both numbers are mixed by multiplications
  // with large odd numbers.
  static uint32_t Chosen(EntityId thread, uint64_t time, uint32_t ways) {
    uint64_t mixed = (time + 1) * 0x9e3779b97f4a7c15 ^ (uint64_t{thread} + 1) * 0xd6e8feb86659fd93;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
    return static_cast<uint32_t>((mixed >> 32) % ways);
  }

  const Score& score_;
  std::vector<Lock> locks_;
};

}  // namespace gordian
