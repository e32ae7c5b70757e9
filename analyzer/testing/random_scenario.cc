// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/random_scenario.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr int kCpus = 3;
constexpr int kWorker = 6;  // of the kernel; some of those before it, too
constexpr int kMostWorkers = 4;

class RandomMachine {
 public:
  explicit RandomMachine(uint32_t seed) : random_(seed) {
    absl::StrAppend(&text_, "disk 8 vda\ndisk 9 vdb\nnic 2 eth0 8000000000000\nnic 3 eth1\n");
    const int first_worker = kWorker - Below(kMostWorkers);
    for (int tid = 1; tid <= kWorker; ++tid) {
      const bool asleep = Below(3) > 0;
      states_[tid] = asleep ? State::kAsleep : State::kReady;
      absl::StrAppend(&text_, tid >= first_worker ? "kernel " : "thread ", tid, " T", tid,
                      asleep ? " S\n" : " R\n");
    }
  }

  void Step() {
    if (Below(3) > 0) time_ns_ += static_cast<uint64_t>(Below(6));
    const int cpu = Below(kCpus);
    const int what = Below(22);
    if (what >= 7 && (HappensTo(cpu, what) || IsDoneBy(running_[cpu], cpu, what))) return;
    Switch(cpu);
  }

  std::string Text() const { return absl::StrCat(text_, "end ", time_ns_ + 10, "\n"); }

 private:
  // Whatever runs there.
  bool HappensTo(int cpu, int what) {
    if (what < 12) {
      Wake(cpu);
    } else if (what == 12) {
      Event(cpu, absl::StrCat("switch ", Below(9), " ", Below(9), " S"));
    } else if (what == 13) {
      Event(cpu, absl::StrCat("complete ", 8 + Below(2), " ", Below(3), " ", Below(2) * Below(20)));
    } else if (what == 14) {
      Event(cpu, absl::StrCat("receive ", 2 + Below(2), " ", Below(9000)));
    } else {
      return false;
    }
    return true;
  }

  bool IsDoneBy(int running, int cpu, int what) {
    if (running == 0) return false;
    if (running > kWorker && Below(2) == 0) {
      Exit(cpu);
    } else if (what == 15) {
      Event(cpu, absl::StrCat("issue ", running, " ", 8 + Below(2), " ", 4096 * Below(3), " ",
                              Below(3)));
    } else if (what == 16) {
      Event(cpu, absl::StrCat("send ", running, " ", 2 + Below(2), " ", Below(9000)));
    } else if (what == 17) {
      static constexpr const char* kProbes[] = {"spin_begin", "spin_end", "spin_release",
                                                "false_wakeup"};
      Event(cpu, absl::StrCat("probe ", running, " ", kProbes[Below(4)], " ", Below(2)));
    } else if (running == 1 || Below(8) == 0) {
      Create(cpu);
    } else {
      return false;
    }
    return true;
  }

  enum class State { kAsleep, kReady, kOnCpu };

  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }

  void Event(int cpu, const std::string& words) {
    absl::StrAppend(&text_, time_ns_, " ", cpu, " ", words, "\n");
  }

  // Any thread in that state, often the youngest; 0: there is none.
  int Any(State state) {
    std::vector<int> found;
    for (const auto& [tid, its] : states_) {
      if (its == state) found.push_back(tid);
    }
    if (!found.empty() && Below(3) == 0) return found.back();
    return found.empty() ? 0 : found[static_cast<size_t>(Below(static_cast<int>(found.size())))];
  }

  void Switch(int cpu) {
    const int next = Any(State::kReady);
    const int before = running_[cpu];
    if (next == before) return;
    static constexpr const char* kWays[] = {"S", "S", "D", "P"};
    const char* way = kWays[Below(4)];
    Event(cpu,
          absl::StrCat("switch ", before, " ", next, before == 0 ? " R" : absl::StrCat(" ", way)));
    if (before != 0) states_[before] = *way == 'P' ? State::kReady : State::kAsleep;
    if (next != 0) states_[next] = State::kOnCpu;
    running_[cpu] = next;
  }

  void Wake(int cpu) {
    const int woken = Any(State::kAsleep);
    if (woken == 0) return;
    static constexpr const char* kSources[] = {"disk 8", "disk 9", "nic 2",
                                               "timer",  "irq 30", "softirq 9"};
    // Some wakers do not run, which closes cycles of waits.
    const int waker = Below(4) == 0 ? 1 + Below(kWorker) : running_[cpu];
    const bool by_thread = waker != 0 && waker != woken && Below(4) > 0;
    Event(cpu, absl::StrCat("wake ", woken, " by ",
                            by_thread ? absl::StrCat(waker) : kSources[Below(6)]));
    states_[woken] = State::kReady;
  }

  // Mostly one child after the other, so that they become virtual threads.
  void Create(int cpu) {
    if (states_.rbegin()->first > kWorker && Below(6) > 0) return Switch(cpu);
    const int child = ++last_tid_;
    const int creator = running_[cpu];
    Event(cpu, absl::StrCat("new ", child, " child of ", creator, " in ", creator));
    states_[child] = State::kReady;
  }

  void Exit(int cpu) {
    const int gone = running_[cpu];
    states_.erase(gone);
    const int next = Any(State::kReady);
    Event(cpu, absl::StrCat("exit ", gone));
    Event(cpu, absl::StrCat("switch ", gone, " ", next, " X"));
    if (next != 0) states_[next] = State::kOnCpu;
    running_[cpu] = next;
  }

  std::mt19937 random_;
  std::string text_;
  uint64_t time_ns_ = 0;
  int last_tid_ = 10;
  std::map<int, State> states_;
  int running_[kCpus] = {};
};

}  // namespace

std::string RandomScenario(uint32_t seed, int steps) {
  RandomMachine machine(seed);
  for (int step = 0; step < steps; ++step) machine.Step();
  return machine.Text();
}

}  // namespace gordian
