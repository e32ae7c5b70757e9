// SPDX-License-Identifier: Apache-2.0
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// One thread asks the kernel again and again to wait until every CPU has passed a quiet moment
// (synchronize_rcu). RCU ends these waits: in its softirq, on whatever thread that interrupts, or
// in its own thread, by the kernel's version.
Report GracePeriods(const Options& options) {
  const auto asker = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) Fail("membarrier");
    }
  };
  Report report;
  report.actors = RunActors({{"asker", options.cpus.at(0), asker}}, ActorsAre::kUrgentThreads);
  return report;
}

}  // namespace gordian::puppets
