// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <memory>

#include "tests/puppets/futex.h"
#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// Many threads sleep on one futex; when all do, one call wakes them all. Each round wakes each
// waiter exactly once.
Report Broadcast(const Options& options) {
  FutexWord word{0};
  const auto caller = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    std::deque<SleepWatch> watches;
    for (size_t at = 1; at < all.size(); ++at) watches.emplace_back(*all[at]);
    const Window window(self);
    for (uint32_t round = 0; round < options.rounds; ++round) {
      for (SleepWatch& watch : watches) watch.AwaitAsleep();
      word.store(round + 1);
      if (FutexWake(word) != options.waiters) Fail("not all slept on the futex");
    }
  };
  const auto waiter = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint32_t round = 0; round < options.rounds; ++round) {
      if (!FutexWait(word, round)) Fail("the futex was woken too early");
    }
  };
  std::vector<Actor> actors = {{"caller", options.cpus.at(0), caller}};
  for (int number = 0; number < options.waiters; ++number) {
    const int cpu = options.cpus.at(number % options.cpus.size());
    actors.push_back({"waiter" + std::to_string(number), cpu, waiter});
  }
  Report report;
  report.actors = RunActors(actors, ActorsAre::kUrgentThreads);
  for (int number = 0; number < options.waiters; ++number) {
    report.wakes.push_back(
        {report.actors[number + 1]->tid, report.actors[0]->tid, "thread", options.rounds});
  }
  return report;
}

}  // namespace gordian::puppets
