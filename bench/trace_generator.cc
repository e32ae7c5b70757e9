// SPDX-License-Identifier: Apache-2.0
#include "bench/trace_generator.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

constexpr uint64_t kStartNs = 1'000'000'000;
constexpr uint64_t kMaxSliceNs = 3'000'000;
constexpr uint64_t kDispatchNs = 2'000;  // from a wake to the switch on an idle CPU
constexpr size_t kEventsPerBlock = 1 << 14;
constexpr int kGroupSize = 8;
constexpr size_t kQueueLimit = 4;
constexpr int kFirstTid = 1000;

enum class Role { kPipeline, kLock, kBarrier };

struct Thread {
  int32_t tid = 0;
  Role role = Role::kPipeline;
  int group = 0;
  int place = 0;       // in its group
  bool holds = false;  // its group's lock
  bool waiting = false;
  uint64_t came_ns = 0;  // to its CPU
};

struct Group {
  std::vector<int> members;
  std::vector<size_t> queued;  // pipelines: before each stage
  std::deque<int> lock_waiters;
  bool locked = false;
  int arrived = 0;
};

struct Due {
  uint64_t time_ns;
  int cpu;
  bool operator>(const Due& other) const {
    return time_ns != other.time_ns ? time_ns > other.time_ns : cpu > other.cpu;
  }
};

class Machine {
 public:
  Machine(const TraceShape& shape, SessionWriter& writer)
      : shape_(shape),
        writer_(writer),
        random_(shape.seed),
        blocks_(shape.cpus),
        running_(shape.cpus, kIdle) {
    for (int cpu = 0; cpu < shape.cpus; ++cpu) {
      blocks_[cpu].cpu = static_cast<uint16_t>(cpu);
      idle_.push_back(shape.cpus - 1 - cpu);
    }
    for (int i = 0; i < shape.threads; ++i) {
      const int group = i / kGroupSize;
      if (group == static_cast<int>(groups_.size())) groups_.emplace_back();
      threads_.push_back({.tid = kFirstTid + i,
                          .role = static_cast<Role>(group % 3),
                          .group = group,
                          .place = i % kGroupSize});
      groups_[group].members.push_back(i);
      groups_[group].queued.push_back(0);
    }
  }

  absl::Status Run() {
    EventBlock known;
    known.cpu = kNoCpu;
    for (const Thread& thread : threads_) {
      known.AddTask(kStartNs, {.tid = thread.tid,
                               .tgid = kFirstTid + thread.group * kGroupSize,
                               .start_time_ns = 1,
                               .comm = absl::StrCat("worker-", thread.group)});
    }
    if (auto status = writer_.AppendTasks(known); !status.ok()) return status;
    for (int i = 0; i < shape_.threads; ++i) MakeReady(i, kStartNs);
    uint64_t now_ns = kStartNs;
    while (events_ < shape_.events && !due_.empty()) {
      const Due due = due_.top();
      due_.pop();
      now_ns = due.time_ns;
      Act(due.cpu, now_ns);
      if (blocks_[due.cpu].events.size() < kEventsPerBlock) continue;
      if (auto status = writer_.AppendEvents(blocks_[due.cpu]); !status.ok()) return status;
    }
    for (EventBlock& block : blocks_) {
      if (auto status = writer_.AppendEvents(block); !status.ok()) return status;
    }
    pb::Session session;
    session.set_name("generated");
    session.set_backend("tracepoint");
    session.mutable_host()->set_cpus(static_cast<uint32_t>(shape_.cpus));
    session.set_start_time_ns(kStartNs);
    session.set_end_time_ns(now_ns + kMaxSliceNs);
    session.set_complete(true);
    return writer_.WriteSession(session);
  }

 private:
  static constexpr int kIdle = -1;

  uint64_t WorkNs() { return 2'000 + std::uniform_int_distribution<uint64_t>(0, 40'000)(random_); }

  int32_t TidOf(int thread) const { return thread == kIdle ? 0 : threads_[thread].tid; }

  void Switch(int cpu, int next, uint32_t state, bool preempted, uint64_t time_ns) {
    TraceEvent event{.time_ns = time_ns, .cpu = static_cast<uint16_t>(cpu)};
    event.sched_switch = {TidOf(running_[cpu]), TidOf(next), state, preempted};
    blocks_[cpu].events.push_back(event);
    ++events_;
    running_[cpu] = next;
    if (next == kIdle) {
      idle_.push_back(cpu);
      return;
    }
    threads_[next].came_ns = time_ns;
    due_.push({time_ns + WorkNs(), cpu});
  }

  void MakeReady(int thread, uint64_t time_ns) {
    threads_[thread].waiting = false;
    if (idle_.empty()) {
      ready_.push_back(thread);
      return;
    }
    const int cpu = idle_.back();
    idle_.pop_back();
    const auto& events = blocks_[cpu].events;
    const uint64_t last_ns = events.empty() ? 0 : events.back().time_ns;
    Switch(cpu, thread, kStateRunning, false, std::max(time_ns + kDispatchNs, last_ns));
  }

  void Wake(int cpu, int wakee, uint64_t time_ns) {
    TraceEvent event{
        .time_ns = time_ns, .kind = EventKind::kWake, .cpu = static_cast<uint16_t>(cpu)};
    event.wake = WakeEvent{.wakee_tid = threads_[wakee].tid, .waker_tid = TidOf(running_[cpu])};
    blocks_[cpu].events.push_back(event);
    ++events_;
    MakeReady(wakee, time_ns);
  }

  void WakeIfWaiting(int cpu, int thread, uint64_t time_ns) {
    if (threads_[thread].waiting) Wake(cpu, thread, time_ns);
  }

  void Leave(int cpu, uint32_t state, bool preempted, uint64_t time_ns) {
    if (preempted) {
      ready_.push_back(running_[cpu]);
    } else {
      threads_[running_[cpu]].waiting = true;
    }
    int next = kIdle;
    if (!ready_.empty()) {
      next = ready_.front();
      ready_.pop_front();
    }
    Switch(cpu, next, state, preempted, time_ns + 200);
  }

  // The thread on this CPU has done a piece of work.
  void Act(int cpu, uint64_t now_ns) {
    const int index = running_[cpu];
    Thread& thread = threads_[index];
    bool sleeps = false;
    switch (thread.role) {
      case Role::kPipeline:
        sleeps = PassOn(cpu, thread, now_ns);
        break;
      case Role::kLock:
        sleeps = TakeOrRelease(cpu, index, now_ns);
        break;
      case Role::kBarrier:
        sleeps = Arrive(cpu, index, now_ns);
        break;
    }
    if (sleeps) {
      Leave(cpu, kStateInterruptible, false, now_ns);
    } else if (!ready_.empty() && now_ns - thread.came_ns > kMaxSliceNs) {
      Leave(cpu, kStateRunning, true, now_ns);
    } else {
      due_.push({now_ns + WorkNs(), cpu});
    }
  }

  // Takes from the queue before its stage, puts into the one behind it.
  bool PassOn(int cpu, const Thread& thread, uint64_t now_ns) {
    Group& group = groups_[thread.group];
    const size_t place = static_cast<size_t>(thread.place);
    const bool is_first = place == 0;
    const bool is_last = place + 1 == group.members.size();
    if ((!is_first && group.queued[place] == 0) ||
        (!is_last && group.queued[place + 1] >= kQueueLimit)) {
      return true;
    }
    if (!is_first && group.queued[place]-- == kQueueLimit) {
      WakeIfWaiting(cpu, group.members[place - 1], now_ns);
    }
    if (!is_last && group.queued[place + 1]++ == 0) {
      WakeIfWaiting(cpu, group.members[place + 1], now_ns);
    }
    return false;
  }

  bool TakeOrRelease(int cpu, int index, uint64_t now_ns) {
    Thread& thread = threads_[index];
    Group& group = groups_[thread.group];
    if (!thread.holds) {
      if (group.locked) {
        group.lock_waiters.push_back(index);
        return true;
      }
      group.locked = thread.holds = true;
      return false;
    }
    thread.holds = group.locked = false;
    if (!group.lock_waiters.empty()) {
      const int next = group.lock_waiters.front();
      group.lock_waiters.pop_front();
      group.locked = threads_[next].holds = true;
      Wake(cpu, next, now_ns);
    }
    return false;
  }

  bool Arrive(int cpu, int index, uint64_t now_ns) {
    Group& group = groups_[threads_[index].group];
    if (++group.arrived < static_cast<int>(group.members.size())) return true;
    group.arrived = 0;
    for (const int member : group.members) WakeIfWaiting(cpu, member, now_ns);
    return false;
  }

  const TraceShape& shape_;
  SessionWriter& writer_;
  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::vector<Group> groups_;
  std::vector<EventBlock> blocks_;  // by CPU
  std::vector<int> running_;
  std::vector<int> idle_;
  std::deque<int> ready_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  uint64_t events_ = 0;
};

}  // namespace

absl::Status GenerateTrace(const TraceShape& shape, const std::string& directory) {
  auto writer = SessionWriter::Create(directory, {});
  if (!writer.ok()) return writer.status();
  return Machine(shape, **writer).Run();
}

}  // namespace gordian
