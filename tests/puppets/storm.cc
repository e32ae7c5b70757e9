// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

constexpr char kChildName[] = "puppet-child";  // the name that every child takes before it ends

void* LiveAsThread(void* tid) {
  prctl(PR_SET_NAME, kChildName);
  *static_cast<int32_t*>(tid) = ThreadId();
  return nullptr;
}

int32_t RaiseThread() {
  pthread_t thread{};
  int32_t tid = 0;
  if (pthread_create(&thread, nullptr, LiveAsThread, &tid) != 0) Fail("pthread_create");
  if (pthread_join(thread, nullptr) != 0) Fail("pthread_join");
  return tid;
}

int32_t RaiseProcess() {
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    prctl(PR_SET_NAME, kChildName);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) Fail("a child ended badly");
  return child;
}

Report Storm(const Options& options, int32_t (*raise)()) {
  Report report;
  report.children.reserve(options.rounds);
  const auto parent = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) report.children.push_back(raise());
  };
  report.actors = RunActors({{"parent", -1, parent}}, ActorsAre::kThreads);
  report.wakes_are_exact = false;
  report.numbers = {{"children", options.rounds}};
  return report;
}

}  // namespace

// One thread raises children that rename themselves and end at once, each awaited before the next.
Report ForkStorm(const Options& options) { return Storm(options, RaiseProcess); }

// The same with threads for children.
Report ThreadStorm(const Options& options) { return Storm(options, RaiseThread); }

}  // namespace gordian::puppets
