// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "tests/puppets/futex.h"
#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

struct Pipe {
  int read_fd = -1;
  int write_fd = -1;
  Pipe() {
    int ends[2];
    if (pipe(ends) != 0) Fail("pipe");
    read_fd = ends[0];
    write_fd = ends[1];
  }
  void Send() const {
    if (write(write_fd, "x", 1) != 1) Fail("writing to the pipe");
  }
  void Receive() const {
    char byte = 0;
    if (read(read_fd, &byte, 1) != 1) Fail("reading from the pipe");
  }
};

Report PingPongReport(const std::vector<ActorRecord*>& actors, uint64_t rounds) {
  Report report;
  report.actors = actors;
  report.wakes = {{actors[0]->tid, actors[1]->tid, "thread", rounds},
                  {actors[1]->tid, actors[0]->tid, "thread", rounds}};
  return report;
}

}  // namespace

// Two processes hand one byte to and fro over two pipes. Each sends only when the other is asleep
// in its read: exactly one wake per byte, by the sender.
Report PingPongOverPipes(const Options& options) {
  const Pipe to_pong;
  const Pipe to_ping;
  const auto ping = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch pong(*all[1]);
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      pong.AwaitAsleep();
      to_pong.Send();
      to_ping.Receive();
    }
  };
  const auto pong = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch ping(*all[0]);
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      to_pong.Receive();
      ping.AwaitAsleep();
      to_ping.Send();
    }
  };
  return PingPongReport(
      RunActors({{"ping", options.cpus.at(0), ping}, {"pong", options.cpus.at(1), pong}},
                ActorsAre::kUrgentProcesses),
      options.rounds);
}

// The same by two threads over two futex words.
Report PingPongOverFutex(const Options& options) {
  FutexWord ping_word{0};
  FutexWord pong_word{0};
  const auto play = [&](FutexWord& mine, FutexWord& theirs, bool begins, ActorRecord& self,
                        const ActorRecord& other) {
    SleepWatch watch(other);
    const Window window(self);
    for (uint32_t round = 0; round < options.rounds; ++round) {
      const auto wake = [&] {
        watch.AwaitAsleep();
        theirs.store(round + 1);
        if (FutexWake(theirs) != 1) Fail("nobody slept on the futex");
      };
      if (begins) wake();
      if (!FutexWait(mine, round)) Fail("the futex was woken too early");
      if (!begins) wake();
    }
  };
  const auto ping = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    play(ping_word, pong_word, true, self, *all[1]);
  };
  const auto pong = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    play(pong_word, ping_word, false, self, *all[0]);
  };
  return PingPongReport(
      RunActors({{"ping", options.cpus.at(0), ping}, {"pong", options.cpus.at(1), pong}},
                ActorsAre::kUrgentThreads),
      options.rounds);
}

}  // namespace gordian::puppets
