// SPDX-License-Identifier: Apache-2.0
// The threads of a puppet: the known facts of each, and the window of time in which all its actions
// are known.
//
// A puppet is a small program that does something an exactly known number of times, so that a
// recording of it can be checked event by event. Its actors wait for each other only where that is
// the point; everywhere else they spin, so that no wake happens that the puppet does not tell.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gordian::puppets {

uint64_t NowNs();    // CLOCK_MONOTONIC
int32_t ThreadId();  // of the calling thread
void Pin(int cpu);   // the calling thread; ends the program if the CPU is not to be had

// Plain data: also lives in memory that processes share.
struct ActorRecord {
  char role[16] = "";
  int32_t tid = 0;
  int32_t tgid = 0;
  // Between these the actor does nothing but its piece. The kernel's own counts of its switch-outs
  // fit the window exactly: no switch lies between a stamp and the reading of the counts that goes
  // with it.
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t voluntary_switches = 0;  // in the window
  uint64_t involuntary_switches = 0;
  std::atomic<bool> ready{false};  // its ids are known
  std::atomic<bool> begun{
      false};  // its window is open, and `voluntary_switches` is the count at its begin
};

// Begins the calling actor's window when made and ends it when it goes.
class Window {
 public:
  explicit Window(ActorRecord& record);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

 private:
  ActorRecord& record_;
};

// Spins (giving the CPU away) until the condition holds.
template <typename Condition>
void SpinUntil(Condition condition);

struct Actor {
  std::string role;  // also the name of the thread
  int cpu = -1;      // -1: anywhere
  // Runs when the ids of all actors are known.
  std::function<void(ActorRecord& self, const std::vector<ActorRecord*>& all)> body;
};

// Ordinary threads compete with the machine's other work. Urgent ones are real-time threads where
// that is allowed, so that a busy machine does not draw their piece out.
enum class ActorsAre { kThreads, kUrgentThreads, kUrgentProcesses };

// Runs all actors at once and returns when each has ended. The records stay until the program ends.
std::vector<ActorRecord*> RunActors(const std::vector<Actor>& actors, ActorsAre kind);

// Zeroed memory that processes forked from here share; it stays until the program ends.
void* SharedMemory(size_t bytes);
template <typename T>
T& Shared() {
  return *new (SharedMemory(sizeof(T))) T();
}

// Ends the program with a line on stderr, so that a puppet that cannot play its piece does not seem
// to have played it.
[[noreturn]] void Fail(const std::string& what);

// Lets an actor wait until another is asleep, each time anew: in a wait that others may end, and
// off its CPU. The other must sleep exactly once between two calls.
class SleepWatch {
 public:
  explicit SleepWatch(const ActorRecord& watched);
  ~SleepWatch();
  SleepWatch(const SleepWatch&) = delete;
  SleepWatch& operator=(const SleepWatch&) = delete;

  void AwaitAsleep();

 private:
  bool SleptAgain();

  const ActorRecord& watched_;
  int status_fd_;
  bool counting_ = false;
  uint64_t sleeps_ = 0;  // of the watched, up to the last call
};

void YieldCpu();

template <typename Condition>
void SpinUntil(Condition condition) {
  while (!condition()) YieldCpu();
}

}  // namespace gordian::puppets
