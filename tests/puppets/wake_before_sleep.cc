// SPDX-License-Identifier: Apache-2.0
#include "tests/puppets/futex.h"
#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// One thread goes to sleep on a futex while another, on its own CPU, already hammers it with wakes:
// many of them hit the sleeper between saying that it sleeps and leaving its CPU. This program
// cannot force how often. Known facts: each round ends with one successful wake by the hammer, each
// sleep the kernel counted was ended by one, and no other thread wakes.
Report WakeBeforeSleep(const Options& options) {
  FutexWord word{0};
  std::atomic<uint64_t> sleeper_round{0};
  const auto sleeper = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 1; round <= options.rounds; ++round) {
      sleeper_round.store(round);
      if (!FutexWait(word, 0)) Fail("the futex was not to be slept on");
    }
  };
  const auto hammer = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 1; round <= options.rounds; ++round) {
      SpinUntil([&] { return sleeper_round.load() >= round; });
      SpinUntil([&] { return FutexWake(word) == 1; });
    }
  };
  Report report;
  report.actors =
      RunActors({{"sleeper", options.cpus.at(0), sleeper}, {"hammer", options.cpus.at(1), hammer}},
                ActorsAre::kUrgentThreads);
  report.wakes_are_exact = false;
  report.numbers = {{"rounds", options.rounds}};
  return report;
}

}  // namespace gordian::puppets
