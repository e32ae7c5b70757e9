// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// One thread sleeps for a while, again and again: its timer ends each sleep, and may interrupt any
// thread.
Report TimerSleeps(const Options& options) {
  const auto sleeper = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      const timespec period{0, static_cast<long>(options.period_us) * 1000};
      if (clock_nanosleep(CLOCK_MONOTONIC, 0, &period, nullptr) != 0) Fail("clock_nanosleep");
    }
  };
  Report report;
  report.actors = RunActors({{"sleeper", options.cpus.at(0), sleeper}}, ActorsAre::kUrgentThreads);
  report.wakes = {{report.actors[0]->tid, 0, "timer", options.rounds}};
  return report;
}

}  // namespace gordian::puppets
