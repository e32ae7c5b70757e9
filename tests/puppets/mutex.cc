// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

struct Lock {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<int32_t> holder{0};  // a tid

  void Acquire(int32_t tid) {
    pthread_mutex_lock(&mutex);
    holder.store(tid);
  }
  // Gives the lock to a thread that already waits for it, and returns when that has it.
  void HandOver(int32_t to_tid, SleepWatch& waiter) {
    waiter.AwaitAsleep();
    pthread_mutex_unlock(&mutex);
    SpinUntil([&] { return holder.load() == to_tid; });
  }
};

}  // namespace

// Two threads want one mutex: each lets go only when the other is asleep waiting for it, and asks
// again only when the other has it. Every acquisition except the first is contended, and the waker
// is the thread that let go.
Report MutexHandOver(const Options& options) {
  Lock lock;
  const auto first = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch other(*all[1]);
    lock.Acquire(self.tid);
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      lock.HandOver(all[1]->tid, other);
      lock.Acquire(self.tid);
    }
    pthread_mutex_unlock(&lock.mutex);
  };
  const auto second = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch other(*all[0]);
    SpinUntil([&] { return lock.holder.load() == all[0]->tid; });
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      lock.Acquire(self.tid);
      lock.HandOver(all[0]->tid, other);
    }
  };
  Report report;
  report.actors =
      RunActors({{"first", options.cpus.at(0), first}, {"second", options.cpus.at(1), second}},
                ActorsAre::kUrgentThreads);
  report.wakes = {{report.actors[0]->tid, report.actors[1]->tid, "thread", options.rounds},
                  {report.actors[1]->tid, report.actors[0]->tid, "thread", options.rounds}};
  return report;
}

}  // namespace gordian::puppets
