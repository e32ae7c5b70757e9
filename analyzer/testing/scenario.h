// SPDX-License-Identifier: Apache-2.0
// Small recordings as text, for tests: the events, and the results that the analysis must give.
//
//   # Anything after a hash is a comment.
//   end 100                     when the recording ends; it begins at 0 (times are nanoseconds)
//   thread 1 A S 7              alive at the beginning: asleep (S), on a queue (R), not known (?);
//                               it had left a CPU so often (may be missing)
//   recorder 2 B S              the same, a thread of the recorder
//   kernel 3 kworker/0:1 I      the same, a thread of the kernel; I: idle
//   pause 40 60                 in between nothing was recorded but births and deaths; then
//   told 62 1 S 9               … at 62 it was told that thread 1 sleeps (or R), and its switches
//   disk 8 vda
//   nic 2 eth0 8000000000       its bits per second, or loopback, or nothing
//   10 0 switch 1 2 S           at 10 on CPU 0 from thread 1 to 2, where 0 is the idle thread; 1
//                               leaves asleep (S, D), dead (X), still running (R), preempted (P)
//   12 0 wake 1 by 2            … 1 is woken by 2; or by disk 8, nic 2, timer, softirq 9, irq 30
//   15 0 new 3 T of 1 in 1      … 1 creates 3, named T, in process 1
//   15 0 exit 3
//   15 0 exec 3 NAME
//   20 0 probe 1 spin_begin 7   … or spin_end, spin_release, false_wakeup, cond_begin, cond_end
//   20 0 issue 1 8 4096 5       … 1 asks disk 8 to write 4096 bytes at sector 5
//   20 0 read 1 8 4096 5        … or to read them
//   20 0 complete 8 5 10        … which took 10 ns; 0: it does not tell
//   20 0 send 1 2 1500          … 1 sends 1500 bytes through interface 2
//   20 0 receive 2 1500         … they come in there
//   20 0 loss 5 3               … 3 switches were lost in the 5 ns before
//   ---
//   expected lines, as ResultsOf writes them
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "schema/session.pb.h"
#include "trace/event_block.h"

namespace gordian {

struct Scenario {
  pb::Session session;
  EventBlock tasks;
  std::vector<EventBlock> cpus;
  std::vector<std::string> expected;
};

// The time that a scenario calls 0.
inline constexpr uint64_t kScenarioStartNs = 1'000'000;

// Aborts with the line that it does not understand: scenarios are part of the tests.
Scenario ReadScenario(const std::string& path);
Scenario ParseScenario(const std::string& text);

// Writes it as a session, in blocks of `events_per_block`.
void WriteScenario(const Scenario& scenario, const std::string& directory, size_t events_per_block);

// Every thread's segments, "A: 0 run | 10 wait B S | 20 runnable | 30 end"; every edge, "A -> B
// WEIGHT OWN COUNT LONGEST"; and the counters, "NAME = VALUE".
std::vector<std::string> ResultsOf(const Timeline& timeline, const WaitForGraph& graph);

}  // namespace gordian
