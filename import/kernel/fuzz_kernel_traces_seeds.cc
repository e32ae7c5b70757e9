// SPDX-License-Identifier: Apache-2.0
// Writes small traces of each format for the fuzzer to start from into the folder it is given. The
// first letter tells the format.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "import/kernel/kernel_trace_files.h"

namespace {

constexpr const char* kTextSeeds[] = {
    "t# tracer: nop\n"
    "  a b-7  (  5) [001] d..2.  1.000001: sched_switch: prev_comm=a b prev_pid=7 prev_prio=1 "
    "prev_state=R+ ==> next_comm=c next_pid=8 next_prio=1\n"
    "  c-8  (-----) [001] d.h1.  1.000002: irq_handler_entry: irq=36 name=vd\n"
    "  c-8  [001] d.h1.  1.000003: block_rq_complete: 8,1 WS () 640 + 8 none,0,0 [0]\n"
    "  c-8  [001] d.h1.  1.000004: sched_waking: comm=a b pid=7 prio=1 target_cpu=001\n"
    "  c-8  [001] d.h1.  1.000005: irq_handler_exit: irq=36 ret=handled\n"
    "CPU:1 [LOST 12 EVENTS]\n"
    "  c-8  [001] .....  1.000006: block_rq_issue: 8,1 WS 4096 () 640 + 8 [c]\n",
    "t  c-8  [001] .....  2.1: task_newtask: pid=9 comm=c clone_flags=10f00 oom_score_adj=0\n"
    "  c-8  [001] .....  2.2: sched_process_fork: comm=c pid=8 child_comm=c child_pid=9\n"
    "  c-8  [001] .....  2.3: task_rename: pid=9 oldcomm=c newcomm=d oom_score_adj=0\n"
    "  c-8  [001] .....  2.4: sched_process_exec: filename=/bin/ls pid=8 old_pid=8\n"
    "  c-8  [001] .....  2.5: sched_process_exit: comm=c pid=8 prio=1\n"
    "  c-8  [001] ..s..  2.6: softirq_entry: vec=3 [action=NET_RX]\n"
    "  c-8  [001]        2.7: sched_wakeup: d:9 [120] CPU:001\n"
    "  c-8  [001]        2.8: sched_switch: c:8 [120] S ==> d:9 [120]\n",
    ("t<!DOCTYPE html>\n<script class=\"trace-data\">\n"
     "  c-8  [0] 1: sched_waking: comm=a pid=7 p\n</script>\n"),
};

bool WriteSeed(const std::string& folder, int number, const std::string& seed) {
  std::ofstream file(folder + "/seed-" + std::to_string(number));
  file << seed;
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  int number = 0;
  bool written = true;
  for (const char* seed : kTextSeeds) written = written && WriteSeed(argv[1], number++, seed);
  for (const std::string& seed :
       {"p" + gordian::testing::SmallPerfData(), "o" + gordian::testing::SmallPerfettoTrace(),
        "d" + gordian::testing::SmallTraceDat(6), "d" + gordian::testing::SmallTraceDat(7)})
    written = written && WriteSeed(argv[1], number++, seed);
  if (written) return 0;
  std::fprintf(stderr, "cannot write to %s\n", argv[1]);
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
