// SPDX-License-Identifier: Apache-2.0
// The job view: the critical path of a job by program.
//
// A job is a tree of processes that are mostly short-lived: a build, a pipeline, xargs, a runner of
// tests. No thread of it is there for long enough to be held up; the question is which programs its
// time goes to. The critical path tells: the row of runs and waits from the job's beginning to its
// end, each of which the next one waited for. Nothing else makes the job shorter.
//
//   job          the target and all its descendants, from their common ancestor          job.h
//   processes    which programs they run, one after the other                           processes.h
//   walk         back from the root's end: who had what went on waited for?             walk.h
//   width        how many of the job's threads were at work at each moment              width.h
//   brief        is most of its work the starting of processes?                         brief.h
//   served       is it a server that starts processes for its clients?                  served.h
//   verdict      which kind of loss the path shows most                                 verdict.h
//
// Usage:
//   const JobPath path = FindJobPath(timeline, {.is_target = …});
//   if (path.is_job) …   // short-lived commands do most of the work
//
// Time: O(E log E) of E segments. Memory: the steps of the path, and a part of the recording at a
// time. docs/design-job-path.md has the reasons.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

struct JobPathOptions {
  uint64_t from_ns = 0;  // only this part of the recording
  uint64_t to_ns = UINT64_MAX;
  std::vector<uint8_t> is_target;  // by thread
  bool is_named = true;            // by a person; else the busiest group, which a job may exceed
  bool whatever_it_is = false;     // also where short-lived commands do hardly anything
  uint32_t strip_bins = 64;
};

// How the thread on the path spent a step.
enum class PathState : uint8_t {
  kRun,
  kReady,     // to run, without a CPU
  kDisk,      // a request, from its issue to the wake
  kNetwork,   // a packet from an unknown sender
  kTimer,     // a sleep, or a time limit
  kRecorder,  // a wait that the recorder ended
  kOther,     // any other wait without a known cause
  kUnknown,   // a hole of the recording
};
inline constexpr size_t kPathStates = 8;
const char* PathStateName(PathState state);  // in reports: run, ready, disk, …

// What kept the job from going on faster, at a moment of the path.
enum class PathLoss : uint8_t {
  kSerial,   // the path's thread worked alone while the job left CPUs unused …
  kTurns,    // … and it got its turn from a thread, and then gave the turn to a thread
  kBarrier,  // … and others of its kind had run beside it, and were done: a straggler
  kNarrow,   // several threads worked, but fewer than there are CPUs
  kDisk,     // a disk
  kIdle,     // the network or a timer
  kStarved,  // the job's threads were ready, and programs outside of the job had the CPUs
  kOutside,  // a thread outside of the job worked for it
  kFull,     // nothing: as many threads wanted CPUs as there are CPUs
  kUntold,   // a hole, the recorder, an unknown cause
};
inline constexpr size_t kPathLosses = 10;
const char* PathLossName(PathLoss loss);  // in reports: serial, turns, barrier, …

struct ProgramShare {
  std::string program;
  bool is_outside = false;  // not of the job
  PathState state = PathState::kRun;
  double ns = 0;
  double alone_ns = 0;  // of it: the job did nothing else
};

struct ProgramTime {
  std::string program;
  double ns = 0;
};

// One program in one process.
struct JobCommand {
  EntityId leader = kNobody;  // of the process: has its id, its command line, its directory
  std::string program;
  bool is_outside = false;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  double path_ns = 0;   // of the path: this much shorter it may be without it
  double alone_ns = 0;  // of it
};

// A part of the path, in one command and one state for most of its time.
struct PathStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId leader = kNobody;  // of the process
  std::string program;
  PathState state = PathState::kRun;
  bool is_outside = false;
};

// Averages of one part of the job's time.
struct WidthBin {
  double running = 0;   // the job's threads on a CPU …
  double ready = 0;     // … ready for one
  double disk = 0;      // … waiting for a disk
  double others = 0;    // threads outside of the job, on a CPU
  std::string program;  // has most of the path there; empty: none
};

// Processes that need hardly more than it takes to start one and to end it.
struct BriefProcesses {
  uint64_t processes = 0;  // begun and ended within the job
  double share = 0;        // of the job's time on CPUs and disks
  double busy_ns = 0;      // of one of them, on average
  std::string parent;      // the program that starts most of their work …
  std::string program;     // … and the one that most of it goes to
  // The thread that starts most of it, with what these start in turn, and one that it starts.
  EntityId starter = kNobody;
  EntityId started = kNobody;
};

struct JobPath {
  // Else there is no target, or hardly any work of short-lived commands, and there is no path.
  bool exists = false;
  bool is_job = false;    // short-lived commands do at least half of the work
  bool is_whole = false;  // from the root's end; else the average over sixteen parts
  EntityId root = kNobody;
  std::string root_program;  // empty without a root
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  double length_ns = 0;  // of the path; the shares add up to it
  uint32_t cpus = 0;
  uint32_t narrow = 0;  // so many threads of the job at once, or fewer, leave CPUs unused: alone
  double short_lived_share = 0;  // of the time on CPUs and disks
  uint64_t commands = 0;         // of the job
  // A server rather than a job: most of its work is that of processes without a program of their
  // own, which `server` starts for programs outside of it.
  bool is_server = false;
  std::string server;
  uint64_t served_processes = 0;  // begun and ended for these
  double served_share = 0;        // of the time on CPUs and disks
  double served_busy_ns = 0;      // of one of these processes, on average

  // They do most of the work, and clients have no part in it.
  bool is_of_starts = false;
  BriefProcesses brief;

  std::vector<ProgramShare> shares;  // most time first
  std::array<double, kPathLosses> loss_ns{};
  std::vector<ProgramTime> loss_programs;   // of the loss that is told, most time first
  std::vector<ProgramTime> cpu_programs;    // CPU time within the job, most first
  std::vector<ProgramTime> others;          // programs that had the CPUs while the job was starved
  std::vector<ProgramTime> askers;          // programs of the job that waited for outsiders
  std::vector<JobCommand> longest_on_path;  // most first, at most ten
  std::vector<WidthBin> strip;
  // Of a job whose end was recorded, since the last pause. In order, not touching others of their
  // like, a thousand at most.
  std::vector<PathStretch> stretches;

  PathLoss verdict = PathLoss::kFull;
  // Of a barrier: which program starts its stragglers, and whether another of their kind ran later.
  std::string barrier_parent;
  bool runs_go_on = false;

  double work_ns = 0;           // on CPUs, of all of the job
  double longest_piece_ns = 0;  // run and disk waits of one thread …
  std::string longest_piece;    // … of that program
  double width = 0;             // threads on a CPU, on average
  double gain_bound = 1;        // at most so many times as fast if the loss were gone
};

JobPath FindJobPath(const Timeline& timeline, const JobPathOptions& options);

}  // namespace gordian
