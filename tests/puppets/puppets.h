// SPDX-License-Identifier: Apache-2.0
// The puppets, one file each. The comment above each function tells the puppet's work and the known
// facts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/puppets/report.h"

namespace gordian::puppets {

struct Options {
  uint64_t rounds = 1000;
  std::vector<int> cpus = {0, 1};  // where the first actors are pinned
  int waiters = 4;
  uint64_t period_us = 1000;
  std::string directory = ".";
};

Report PingPongOverPipes(const Options& options);
Report PingPongOverFutex(const Options& options);
Report MutexHandOver(const Options& options);
Report GracePeriods(const Options& options);
Report TimerSleeps(const Options& options);
Report DiskSync(const Options& options);
Report TcpEcho(const Options& options);
Report TcpPieces(const Options& options);
Report ForkStorm(const Options& options);
Report ThreadStorm(const Options& options);
Report Broadcast(const Options& options);
Report WakeBeforeSleep(const Options& options);
Report CpuHogs(const Options& options);
Report TwoPaths(const Options& options);
Report WaitObjects(const Options& options);

}  // namespace gordian::puppets
