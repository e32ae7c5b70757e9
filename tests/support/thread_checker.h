// SPDX-License-Identifier: Apache-2.0
// Follows every thread through a recording and finds contradictions. Independent of the analyzer:
// it checks that a recording holds together, the analyzer then builds on it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_event.h"

namespace gordian::testing {

// One life of one tid, from its birth (or the first time it is seen) to its last switch-out.
struct ThreadLife {
  int32_t tid = 0;
  int32_t parent_tid = 0;
  uint64_t start_time_ns = 0;  // of its identity
  std::string comm;            // its last
  bool born = false;           // its birth was recorded: from there on every state is known
  bool exited = false;         // its exit was recorded
  bool ended = false;          // it left its CPU for the last time
  bool on_its_way = false;     // ran, or could have run, when the recording ended
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  uint64_t blocked_ns = 0;
  uint64_t unknown_ns = 0;  // before its first event, and while unseen threads hide it
  uint64_t runs = 0;
  uint64_t sleeps = 0;            // switch-outs that needed a wake
  uint64_t early_wakes = 0;       // sleeps whose wake came before the switch-out
  uint64_t cancelled_sleeps = 0;  // wakes that found the thread on a CPU and kept it from sleeping
  uint64_t sleeps_ended_unseen = 0;  // no wake was seen to end them
  uint64_t wakes_too_many = 0;       // it must have run before them, unseen
  uint64_t switches_unseen = 0;      // an unseen thread made way for it: when, is not known

  uint64_t lifetime_ns() const { return last_ns - first_ns; }
};

struct Violation {
  uint64_t time_ns = 0;
  int32_t tid = 0;
  std::string what;
};

// The rules: a CPU switches away from the thread it runs; a thread runs on one CPU at a time, and
// only after a wake if it slept; nothing happens to it after its end; its birth comes once and its
// exit before its end.
//
// A wake that finds the thread on a CPU is one of two: it answers the switch-out that follows at
// once (the thread was leaving), or it kept the thread from sleeping at all and must not answer a
// later sleep. Only later events show which: the kernel wakes a sleeping thread exactly once, so if
// another wake comes after the switch-out, the first did not belong to this sleep. Events must come
// in time order.
class ThreadChecker {
 public:
  ThreadChecker() = default;
  // Some sandboxes hide their own agent's threads from BPF: no event is recorded while one of them
  // runs, neither its wakes nor the thread it makes way for. If such a thread is the reason, the
  // rules are not broken; the lives tell the unknown parts.
  explicit ThreadChecker(std::set<int32_t> unseen) : unseen_(std::move(unseen)) {}

  // All kinds but kTask.
  void Add(const TraceEvent& event);
  void AddTask(uint64_t time_ns, const TaskRecord& task);
  // Ends the lives that are still going on, at the time of the last event.
  void Finish();

  // Of all threads except the idle ones; lives of one tid in their order.
  const std::vector<ThreadLife>& lives() const { return lives_; }
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  enum class State { kUnknown, kRunnable, kRunning, kBlocked };
  struct Thread {
    ThreadLife life;
    State state = State::kUnknown;
    uint64_t since_ns = 0;            // in `state`
    bool wake_pending = false;        // came while it was on a CPU, and answers no sleep yet
    bool may_be_woken_again = false;  // runnable, but not because of a wake
  };

  Thread& At(int32_t tid, uint64_t time_ns);
  void AddSwitch(uint64_t time_ns, uint16_t cpu, const SwitchEvent& event);
  void SwitchOut(uint64_t time_ns, const SwitchEvent& event);
  void LearnOfUnseenSwitch(uint64_t time_ns, int32_t tid);
  void SwitchIn(uint64_t time_ns, int32_t tid);
  void AddWake(uint64_t time_ns, const WakeEvent& event);
  void Enter(Thread& thread, State state, uint64_t time_ns);
  void End(int32_t tid, uint64_t time_ns);
  void Complain(uint64_t time_ns, int32_t tid, std::string what);

  std::set<int32_t> unseen_;
  uint64_t now_ns_ = 0;
  std::map<int32_t, Thread> threads_;    // those alive
  std::map<uint16_t, int32_t> running_;  // by CPU, once known
  std::map<int32_t, uint64_t> ended_;    // tid → when
  std::vector<ThreadLife> lives_;
  std::vector<Violation> violations_;
};

}  // namespace gordian::testing
