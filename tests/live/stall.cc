// SPDX-License-Identifier: Apache-2.0
// stall SECONDS: a server that asks its store again and again, and once, after as many seconds of
// asking, gets no answer for three seconds. It goes on until it is killed. Its stdout tells
// "stalled" when that is over.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStall = std::chrono::seconds(3);
constexpr auto kWork = std::chrono::milliseconds(2);  // of the server, between two questions

void WorkFor(Clock::duration span) {
  const auto end = Clock::now() + span;
  while (Clock::now() < end) {
  }
}

void Take(int from) {
  char byte = 0;
  if (read(from, &byte, 1) != 1) std::exit(1);
}

void Give(int to) {
  const char byte = 1;
  if (write(to, &byte, 1) != 1) std::exit(1);
}

void Store(int questions, int answers, Clock::time_point stalls_at) {
  pthread_setname_np(pthread_self(), "store");
  bool has_stalled = false;
  while (true) {
    Take(questions);
    if (!has_stalled && Clock::now() >= stalls_at) {
      has_stalled = true;
      std::this_thread::sleep_for(kStall);
      std::puts("stalled");
      std::fflush(stdout);
    }
    Give(answers);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::array<int, 2> questions;
  std::array<int, 2> answers;
  if (pipe(questions.data()) != 0 || pipe(answers.data()) != 0) return 1;
  const auto stalls_at = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  std::thread(Store, questions[0], answers[1], stalls_at).detach();
  pthread_setname_np(pthread_self(), "server");
  while (true) {
    WorkFor(kWork);
    Give(questions[1]);
    Take(answers[0]);
  }
}
