// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// Two threads that only compute share one CPU until each was pushed off it often enough: all their
// switch-outs are preemptions, and no thread ever wakes them.
Report CpuHogs(const Options& options) {
  std::atomic<int> satisfied{0};
  const auto hog = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    const Window window(self);
    const uint64_t preemptions_before = self.involuntary_switches;
    bool enough = false;
    while (satisfied.load() < static_cast<int>(all.size())) {
      rusage usage{};
      if (getrusage(RUSAGE_THREAD, &usage) != 0) Fail("getrusage");
      const uint64_t preemptions = usage.ru_nivcsw - preemptions_before;
      if (enough || preemptions < options.rounds) continue;
      enough = true;
      ++satisfied;
    }
  };
  Report report;
  report.actors = RunActors({{"hog0", options.cpus.at(0), hog}, {"hog1", options.cpus.at(0), hog}},
                            ActorsAre::kThreads);
  report.numbers = {{"preemptions", options.rounds}};
  return report;
}

}  // namespace gordian::puppets
