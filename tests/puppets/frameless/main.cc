// SPDX-License-Identifier: Apache-2.0
// Waits, wakes and works again and again, always on the same path through functions that keep no
// frame pointers, until the end of its input. A line of input is the path of a plugin: from then on
// the path leads through it.
//
//   main -> Outer -> Middle -> Inner -> pthread_cond_wait, read, or some work
//   WakeAgain -> WakeOnce -> pthread_cond_signal, write
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

namespace {

using Function = int (*)(int);
using Plugin = int (*)(Function, int);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
bool waiters_turn = false;
bool ended = false;
int pipe_ends[2];
Plugin plugin = nullptr;

// Kept out of the compiler's sight, so that every call is a call.
std::atomic<uint64_t> work{0};

}  // namespace

__attribute__((noinline)) int Work(int rounds) {
  for (int i = 0; i < rounds; ++i) work.fetch_add(static_cast<uint64_t>(i));
  return rounds;
}

__attribute__((noinline)) int Inner(int depth) {
  volatile char padding[40] = {static_cast<char>(depth)};
  pthread_mutex_lock(&mutex);
  while (!waiters_turn) pthread_cond_wait(&turn_changed, &mutex);
  waiters_turn = false;
  pthread_cond_signal(&turn_changed);
  pthread_mutex_unlock(&mutex);
  char byte = 0;
  if (read(pipe_ends[0], &byte, 1) != 1) return -1;
  return Work(200000) + padding[0] + byte;
}

// Its frame's size is known only when it runs: here even this compiler needs a frame register.
__attribute__((noinline)) int Middle(int depth) {
  auto* room = static_cast<volatile int*>(__builtin_alloca(static_cast<size_t>(depth) * 16));
  room[0] = plugin != nullptr ? plugin(Inner, depth) : Inner(depth);
  return room[0] + depth;
}

__attribute__((noinline)) int Outer(int depth) {
  const int below = Middle(depth + 1);
  return below + 1;
}

__attribute__((noinline)) bool WakeOnce() {
  pthread_mutex_lock(&mutex);
  waiters_turn = true;
  pthread_cond_signal(&turn_changed);
  while (waiters_turn && !ended) pthread_cond_wait(&turn_changed, &mutex);
  const bool goes_on = !ended;
  pthread_mutex_unlock(&mutex);
  const char byte = static_cast<char>(Work(100000));  // meanwhile the other one waits for it
  return write(pipe_ends[1], &byte, 1) == 1 && goes_on;
}

void* WakeAgain(void* /*unused*/) {
  while (WakeOnce()) {
  }
  return nullptr;
}

int main() {
  pthread_t waker;
  if (pipe(pipe_ends) != 0 || pthread_create(&waker, nullptr, WakeAgain, nullptr) != 0) return 1;
  std::printf("ready\n");
  std::fflush(stdout);
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  for (int round = 0;; ++round) {
    if (poll(&input, 1, 0) > 0) {
      char line[4096];
      const ssize_t got = read(STDIN_FILENO, line, sizeof(line));
      if (got <= 0) break;
      void* loaded = dlopen(std::string(line, static_cast<size_t>(got) - 1).c_str(), RTLD_NOW);
      if (loaded == nullptr) return 2;
      plugin = reinterpret_cast<Plugin>(dlsym(loaded, "ThroughPlugin"));
    }
    Outer(round % 3 + 1);
  }
  pthread_mutex_lock(&mutex);
  ended = true;
  pthread_cond_broadcast(&turn_changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(waker, nullptr);
  return 0;
}
