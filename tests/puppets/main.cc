// SPDX-License-Identifier: Apache-2.0
// puppet NAME [options]: plays one piece and prints as JSON the events that a recording of it must
// hold.
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

using PlayPiece = Report (*)(const Options&);

const std::map<std::string, PlayPiece>& Pieces() {
  static const auto& pieces =
      *new std::map<std::string, PlayPiece>{{"broadcast", Broadcast},
                                            {"disk-sync", DiskSync},
                                            {"fork-storm", ForkStorm},
                                            {"futex-ping-pong", PingPongOverFutex},
                                            {"grace-periods", GracePeriods},
                                            {"hogs", CpuHogs},
                                            {"mutex", MutexHandOver},
                                            {"pipe-ping-pong", PingPongOverPipes},
                                            {"tcp-echo", TcpEcho},
                                            {"tcp-pieces", TcpPieces},
                                            {"thread-storm", ThreadStorm},
                                            {"timer", TimerSleeps},
                                            {"two-paths", TwoPaths},
                                            {"wait-objects", WaitObjects},
                                            {"wake-before-sleep", WakeBeforeSleep}};
  return pieces;
}

int Main(int argc, char** argv) {
  constexpr int kUsageError = 2;
  std::string name;
  Options options;
  CLI::App app("Plays one piece and prints as JSON what a recording of it must hold");
  app.add_option("NAME", name, "which piece")->required()->check(CLI::IsMember(Pieces()));
  app.add_option("--rounds", options.rounds, "how often");
  app.add_option("--cpus", options.cpus, "where the actors are pinned")
      ->delimiter(',')
      ->expected(2);
  app.add_option("--waiters", options.waiters, "broadcast, two-paths: how many sleep");
  app.add_option("--period-us", options.period_us,
                 "timer, two-paths, wait-objects: how long a sleep is, below a second")
      ->check(CLI::Range(1, 999'999));
  app.add_option("--directory", options.directory,
                 "disk-sync, wait-objects: where the file is made");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  // A page fault that waits for the disk would be an untold wake. If locking is not allowed, the
  // pages are most likely there all the same.
  mlockall(MCL_CURRENT);
  const uint64_t begin_ns = NowNs();
  Report report = Pieces().at(name)(options);
  report.begin_ns = begin_ns;
  printf("%s\n", ToJson(name, report).c_str());
  return 0;
}

}  // namespace
}  // namespace gordian::puppets

int main(int argc, char** argv) {
  try {
    return gordian::puppets::Main(argc, argv);
  } catch (const std::exception& error) {  // a malformed number of CPUs, no memory
    fprintf(stderr, "puppet: %s\n", error.what());
    return 1;
  }
}
