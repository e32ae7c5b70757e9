// SPDX-License-Identifier: Apache-2.0
#include "tests/support/thread_checker.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian::testing {

void ThreadChecker::Complain(uint64_t time_ns, int32_t tid, std::string what) {
  violations_.push_back({time_ns, tid, std::move(what)});
}

ThreadChecker::Thread& ThreadChecker::At(int32_t tid, uint64_t time_ns) {
  auto [found, is_new] = threads_.try_emplace(tid);
  Thread& thread = found->second;
  if (!is_new) return thread;
  if (ended_.contains(tid)) Complain(time_ns, tid, "lives on after its end");
  thread.life.tid = tid;
  thread.life.first_ns = time_ns;
  thread.since_ns = time_ns;
  return thread;
}

void ThreadChecker::Enter(Thread& thread, State state, uint64_t time_ns) {
  const uint64_t spent_ns = time_ns - thread.since_ns;
  ThreadLife& life = thread.life;
  switch (thread.state) {
    case State::kUnknown:
      life.unknown_ns += spent_ns;
      break;
    case State::kRunnable:
      life.runnable_ns += spent_ns;
      break;
    case State::kRunning:
      life.run_ns += spent_ns;
      break;
    case State::kBlocked:
      life.blocked_ns += spent_ns;
      break;
  }
  thread.state = state;
  thread.since_ns = time_ns;
  life.last_ns = time_ns;
}

void ThreadChecker::End(int32_t tid, uint64_t time_ns) {
  Thread& thread = At(tid, time_ns);
  Enter(thread, thread.state, time_ns);
  lives_.push_back(std::move(thread.life));
  threads_.erase(tid);
}

void ThreadChecker::Add(const TraceEvent& event) {
  if (event.time_ns < now_ns_) {
    Complain(event.time_ns, 0, absl::StrCat("time goes back by ", now_ns_ - event.time_ns, " ns"));
    return;  // no state can be told from it
  }
  now_ns_ = event.time_ns;
  if (event.kind == EventKind::kSwitch) AddSwitch(event.time_ns, event.cpu, event.sched_switch);
  if (event.kind == EventKind::kWake) AddWake(event.time_ns, event.wake);
}

void ThreadChecker::AddSwitch(uint64_t time_ns, uint16_t cpu, const SwitchEvent& event) {
  const auto running = running_.find(cpu);
  if (running != running_.end() && running->second != event.prev_tid) {
    if (unseen_.contains(running->second)) {
      LearnOfUnseenSwitch(time_ns, event.prev_tid);
    } else {
      Complain(time_ns, event.prev_tid,
               absl::StrCat("leaves CPU ", cpu, ", which runs ", running->second));
    }
  }
  running_[cpu] = event.next_tid;
  const auto is_followed = [this](int32_t tid) { return tid != 0 && !unseen_.contains(tid); };
  if (is_followed(event.prev_tid)) SwitchOut(time_ns, event);
  if (is_followed(event.next_tid)) SwitchIn(time_ns, event.next_tid);
}

// The thread came to run at some time since its last event, after a wake if it slept.
void ThreadChecker::LearnOfUnseenSwitch(uint64_t time_ns, int32_t tid) {
  if (tid == 0) return;
  Thread& thread = At(tid, time_ns);
  thread.state = State::kUnknown;
  Enter(thread, State::kRunning, time_ns);
  thread.wake_pending = false;
  ++thread.life.switches_unseen;
  ++thread.life.runs;
}

void ThreadChecker::SwitchOut(uint64_t time_ns, const SwitchEvent& event) {
  Thread& thread = At(event.prev_tid, time_ns);
  if (thread.state != State::kRunning && thread.state != State::kUnknown) {
    Complain(time_ns, event.prev_tid, "leaves a CPU without running");
  }
  if (event.preempted || event.prev_state == kStateRunning) {
    Enter(thread, State::kRunnable, time_ns);
    thread.may_be_woken_again = true;
    return;
  }
  if ((event.prev_state & (kStateDead | kStateExitDead)) != 0) {
    if (thread.life.born && !thread.life.exited) {
      Complain(time_ns, event.prev_tid, "ends without an exit");
    }
    thread.life.ended = true;
    End(event.prev_tid, time_ns);
    ended_[event.prev_tid] = time_ns;
    return;
  }
  Enter(thread, State::kBlocked, time_ns);
  ++thread.life.sleeps;
}

void ThreadChecker::SwitchIn(uint64_t time_ns, int32_t tid) {
  Thread& thread = At(tid, time_ns);
  if (thread.state == State::kRunning) Complain(time_ns, tid, "runs on two CPUs");
  if (thread.state == State::kBlocked) {
    if (thread.wake_pending) {
      thread.state = State::kRunnable;  // since the switch-out: it was never blocked
      ++thread.life.early_wakes;
    } else {
      ++thread.life.sleeps_ended_unseen;
      if (unseen_.empty()) Complain(time_ns, tid, "runs after a sleep that nobody ended");
    }
    thread.wake_pending = false;
  }
  Enter(thread, State::kRunning, time_ns);
  thread.may_be_woken_again = false;
  ++thread.life.runs;
}

void ThreadChecker::AddWake(uint64_t time_ns, const WakeEvent& event) {
  if (unseen_.contains(event.wakee_tid)) return;
  Thread& thread = At(event.wakee_tid, time_ns);
  switch (thread.state) {
    case State::kBlocked:
      // A wake that was pending kept it from an earlier sleep: the kernel would not wake it twice
      // for this one.
      thread.life.cancelled_sleeps += thread.wake_pending;
      thread.wake_pending = false;
      Enter(thread, State::kRunnable, time_ns);
      break;
    case State::kUnknown:  // asleep, or on a CPU
      thread.wake_pending = true;
      break;
    case State::kRunnable:
      // Preempted on its way to sleep, it may be woken; woken once, it may not be again before it
      // runs.
      if (!thread.may_be_woken_again) {
        ++thread.life.wakes_too_many;
        if (unseen_.empty()) Complain(time_ns, event.wakee_tid, "is woken twice");
      }
      thread.wake_pending = thread.may_be_woken_again;
      break;
    case State::kRunning:
      thread.life.cancelled_sleeps += thread.wake_pending;
      thread.wake_pending = true;
      break;
  }
}

void ThreadChecker::AddTask(uint64_t time_ns, const TaskRecord& task) {
  if (task.tid == 0) return;
  if (task.change == TaskChange::kNew) {
    if (const auto before = threads_.find(task.tid); before != threads_.end()) {
      // The kernel lists a thread a moment before it tells its birth: whoever lists all threads
      // then, as a recording begins, tells it first.
      const ThreadLife& life = before->second.life;
      if (!life.born && life.start_time_ns == task.start_time_ns) {
        threads_.erase(before);
      } else {
        Complain(time_ns, task.tid, "is born twice");
        End(task.tid, time_ns);
      }
    }
    ended_.erase(task.tid);
    Thread& thread = At(task.tid, time_ns);
    thread.state = State::kRunnable;
    thread.life.born = true;
    thread.life.parent_tid = task.parent_tid;
  }
  const bool known = threads_.contains(task.tid);
  // A thread alive at the start may be told late, when it has ended already.
  if (!known && task.change == TaskChange::kAlive && ended_.contains(task.tid)) return;
  ThreadLife& life = At(task.tid, time_ns).life;
  if (task.change == TaskChange::kExit) {
    if (life.exited) Complain(time_ns, task.tid, "exits twice");
    life.exited = true;
  }
  life.comm = task.comm;
  life.start_time_ns = task.start_time_ns;
}

void ThreadChecker::Finish() {
  while (!threads_.empty()) {
    Thread& thread = threads_.begin()->second;
    thread.life.cancelled_sleeps += thread.wake_pending;
    thread.life.on_its_way = thread.state != State::kBlocked;
    End(threads_.begin()->first, now_ns_);
  }
}

}  // namespace gordian::testing
