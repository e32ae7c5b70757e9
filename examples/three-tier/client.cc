// SPDX-License-Identifier: Apache-2.0
// The load: so many clients, each of which asks again as soon as it is answered.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "examples/three-tier/tcp.h"

namespace {

using Clock = std::chrono::steady_clock;

bool Ask(const std::string& address, Clock::time_point until, std::atomic<long>& answers) {
  const int frontend = three_tier::Connect(address);
  three_tier::Message message = {};
  while (Clock::now() < until) {
    ++message[0];
    if (!three_tier::Send(frontend, message) || !three_tier::Receive(frontend, message)) {
      return false;
    }
    ++answers;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int clients = argc == 4 ? std::atoi(argv[2]) : 0;
  const int seconds = argc == 4 ? std::atoi(argv[3]) : 0;
  if (clients < 1 || seconds < 1) {
    std::fputs("usage: client FRONTEND_HOST:PORT CLIENTS SECONDS\n", stderr);
    return 2;
  }
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  std::atomic<long> answers = 0;
  std::atomic<bool> all_answered = true;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(clients));
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      if (!Ask(argv[1], until, answers)) all_answered = false;
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld answers, %ld a second\n", answers.load(), answers / seconds);
  if (!all_answered) std::fputs("client: the front end has gone\n", stderr);
  return all_answered ? 0 : 1;
}
