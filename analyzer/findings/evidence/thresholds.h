// SPDX-License-Identifier: Apache-2.0
// Every number that shapes a verdict of the findings. bench/thresholds moves each.
//
// Inner to the library. Shares are of the recording's time unless the comment says otherwise. How
// much a report tells (numbers of findings, edges, names) is no threshold and stands with the code.
// Breaks lines are those of bench/thresholds: recordings of scripts/corpus, tables (.graph) and
// tests. Where none stands, no case is known that lies near the number.
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// --- What counts -----------------------------------------------------------------------------

// Share of a whole: a wait beside the waiter's time, a user's part of a device's work, a saving
// beside the job's time. Without a smaller one nothing gets faster by more than 5 %.
// Breaks when moved by 30 %: recording case-python-pool.fixed,
// OfACircleIsNoDiskThatHardlyAnybodyWaitsFor.
GORDIAN_THRESHOLD(double, kMatters, 0.05);
// Share of a whole. Where 5 % may be a coincidence it must be more: a wait for a thread outside of
// the target; many light waits together; a knot without a doubt; the target's work that a thread
// does, or holds up.
// Breaks when moved by 30 %: load_generator.graph.
GORDIAN_THRESHOLD(double, kMattersMuch, 0.20);
// Share of one CPU, or of the target's CPU time. A thread below it does nothing to speak of.
GORDIAN_THRESHOLD(double, kWorks, 0.01);

// --- How a thread spends its time ------------------------------------------------------------

// Share at work, or ready for it. Such a thread is a limit by itself.
// Breaks when moved by 30 %: recording case-uneven-build, stopped_by_a_collector.graph,
// long_job.graph.
GORDIAN_THRESHOLD(double, kBusy, 0.60);
// Share ready to run without a CPU. Less is the ordinary wait for a turn.
// Breaks when moved by 30 %: recording case-postgres-commits, knot_beside_load_on_all_cpus.graph,
// starved_member_of_a_knot.graph.
GORDIAN_THRESHOLD(double, kStarved, 0.20);
// Share asleep on timers. A thread that sleeps so long, and longer than it works, is a sleeper.
// Breaks when moved by 30 %: all_the_work_under_one_lock.graph.
GORDIAN_THRESHOLD(double, kSleepy, 0.30);
// Share of any time, for most of that time.
// Breaks when moved by 30 %: recording puppet-thread-storm, kept_background_knot.graph,
// sink_beside_a_knot.graph.
GORDIAN_THRESHOLD(double, kMostOfTheTime, 0.50);
// Share of a life, or of one thread's time: it leaves room for nothing else.
// Breaks when moved by 30 %: AJobThatRunsForAPartOfTheRecordingIsToBeStartedEarlier,
// rotating_pool.graph.
GORDIAN_THRESHOLD(double, kAllTheTime, 0.90);
// Share of a whole (the target's work, the recording, all CPUs), for nearly all of it.
// Breaks when moved by 30 %: recording fix-sleep-under-lock, recording puppet-thread-storm,
// OfACpuBoundStageAreOfHalfItsWork.
GORDIAN_THRESHOLD(double, kNearlyAll, 0.80);
// Share of one CPU's time. No thread gets more of a CPU that is never free.
// Breaks when moved by 30 %: recording fix-pool.fixed, recording bsp-lock,
// lock_without_merging.graph.
GORDIAN_THRESHOLD(double, kFullCpu, 0.95);
// Part of the option --threshold. A shorter wait does not hold back a thread that is busy all other
// time.
// Breaks when moved by 30 %: busy_thread_with_some_io.graph.
GORDIAN_THRESHOLD(double, kHoldsBack, 0.50);

// --- How often -------------------------------------------------------------------------------

// Waits, or questions. A client with fewer may have waited by chance, not for work under way.
GORDIAN_THRESHOLD(uint64_t, kManyWaits, 20);
// Waits per second. News and heartbeats are rarer than work.
GORDIAN_THRESHOLD(double, kOftenPerSecond, 100);
// Nanoseconds. A thread woken onto a free CPU runs within some microseconds, on a virtual CPU
// within some tens of them.
GORDIAN_THRESHOLD(uint64_t, kQuickWakeNs, 50'000);

// --- Gains -----------------------------------------------------------------------------------

// Factor. A prediction clearly above another one is above it by so much.
// Breaks when moved by 30 %: LeaveTheOrderWhereIntervalsAreNotApart, OfLocksAreThoseOfEachFix,
// StayWhereIntervalsTouchOrDoNotRank.
GORDIAN_THRESHOLD(double, kClearlyMore, 1.05);
// Factor. No bound promises more.
GORDIAN_THRESHOLD(double, kMostGain, 100);
// Factors of the natural fixes: how much of its sleep, of its work or service time, and how many
// of it there are afterwards.
// Breaks when moved by 30 %: OfASleepIsATenthOfItAndOfAPoolMoreThreads.
GORDIAN_THRESHOLD(double, kShorterSleep, 0.1);
// Breaks when moved by 30 %: OfWorkAndOfADiskIsHalfTheTimeWhichOrdersNothing,
// OfACpuBoundStageAreOfHalfItsWork.
GORDIAN_THRESHOLD(double, kLessWork, 0.5);
// Breaks when moved by 30 %: IsMoreRequestsWhereAThreadOutsideAnswersByTheClock,
// OfACircleIsAlsoThatItsWaitForADiskIsGone, OfACircleIsNoDiskThatHardlyAnybodyWaitsFor.
GORDIAN_THRESHOLD(double, kMoreOfIt, 2);

// --- Doubts: the part of the trust that goes -------------------------------------------------

// Share. Below it an unknown time is not worth a doubt.
GORDIAN_THRESHOLD(double, kWorthADoubt, 0.01);
// The recording lacks its end, or what others than the target did.
GORDIAN_THRESHOLD(double, kSmallDoubt, 0.1);
// The finding rests on few or short waits, on what was not recorded, or on how little a thread
// runs. Breaks when moved by 30 %: only_the_target_recorded.graph, remote_peer.graph,
// way_between_nodes.graph.
GORDIAN_THRESHOLD(double, kDoubt, 0.3);
// Perhaps only idle threads wait.
// Breaks when moved by 30 %: rotating_pool.graph.
GORDIAN_THRESHOLD(double, kLargeDoubt, 0.5);
// Share of the target's work, in eighths of the recording: six of eight. A finding that holds in
// fewer is one of a phase, or of chance.
GORDIAN_THRESHOLD(double, kSteady, 0.75);
// Share of a finding's trust that is left if the recording paused in a row for longer than kSteady
// allows: "likely", as most programs go on as they began. With 1 the first second of a build would
// be told as sure for all of it.
GORDIAN_THRESHOLD(double, kTrustBesideALongPause, 0.8);
// So many times its share a loss takes away: one lost record can blame several waits on the wrong
// thread. The same for waits that closed a circle.
GORDIAN_THRESHOLD(double, kLossWeighs, 4);

}  // namespace gordian
