// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

// Not through libc's function of that name, which keeps no frame pointer: the stack would end
// there.
__attribute__((noinline)) void SleepFor(uint64_t sleep_us) {
  const timespec period{0, static_cast<long>(sleep_us) * 1000};
  syscall(SYS_nanosleep, &period, nullptr);
  asm volatile("");  // no tail call
}

__attribute__((noinline)) void ShortPath(const Options& options) {
  SleepFor(options.period_us);
  asm volatile("");
}

__attribute__((noinline)) void LongPath(const Options& options) {
  SleepFor(options.period_us * 6);
  asm volatile("");
}

}  // namespace

// Threads that sleep on two paths through the code: three short sleeps on one, then a long one on
// the other. So each path has about half of the time, and the short one most of the waits.
Report TwoPaths(const Options& options) {
  const auto sleeper = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      if (round % 4 == 3) {
        LongPath(options);
      } else {
        ShortPath(options);
      }
    }
  };
  std::vector<Actor> actors;
  actors.reserve(options.waiters);
  for (int i = 0; i < options.waiters; ++i)
    actors.push_back({"sleeper", options.cpus.at(i % options.cpus.size()), sleeper});
  Report report;
  report.actors = RunActors(actors, ActorsAre::kThreads);
  report.wakes_are_exact = false;
  return report;
}

}  // namespace gordian::puppets
