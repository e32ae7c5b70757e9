// SPDX-License-Identifier: Apache-2.0
// Small jobs: their paths, and what is said of them.
#include "path/job_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "path/test_jobs.h"

namespace gordian {
namespace {

constexpr int kMake = 10;

// A make on two CPUs, which it shares with what it starts. Its own runs take 10 ns.
class Make {
 public:
  Make() { trace_.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "make"); }

  // It starts one of each length, on a CPU each, and waits for the longest.
  Make& Starts(const std::string& program, const std::vector<uint64_t>& lengths_ns) {
    trace_.Run(0, kMake, at_ns_, at_ns_ + 10);
    at_ns_ += 10;
    const uint64_t longest_ns = *std::max_element(lengths_ns.begin(), lengths_ns.end());
    bool wakes = true;
    for (size_t cpu = 0; cpu < lengths_ns.size(); ++cpu) {
      const bool is_longest = lengths_ns[cpu] == longest_ns && wakes;
      wakes = wakes && !is_longest;
      trace_.Command(static_cast<int>(cpu), kMake, next_++, program, at_ns_,
                     at_ns_ + lengths_ns[cpu], is_longest);
    }
    at_ns_ += longest_ns;
    return *this;
  }
  JobTrace& trace() { return trace_; }
  uint64_t now_ns() const { return at_ns_; }
  void Goes(uint64_t ns) { at_ns_ += ns; }

  JobPath Path() {
    trace_.Run(0, kMake, at_ns_, at_ns_ + 10, 'X').End(at_ns_ + 20);
    return PathOf(ScenarioTimeline(trace_.Text()), "make");
  }

 private:
  JobTrace trace_;
  uint64_t at_ns_ = 0;
  int next_ = 20;
};

TEST(JobPath, GoesThroughTheLastCompilerBackToTheFirst) {
  const JobPath path = Make().Starts("cc", {100, 50}).Starts("ld", {80}).Path();
  EXPECT_EQ(path.length_ns, 210);
  EXPECT_EQ(SharesText(path), "cc run 100 alone 50 | ld run 80 alone 80 | make run 30 alone 30");
  EXPECT_EQ(path.root_program, "make");
  EXPECT_TRUE(path.is_whole);
  EXPECT_EQ(path.work_ns, 260);
  ASSERT_EQ(path.longest_on_path.size(), 3u);
  EXPECT_EQ(path.longest_on_path[0].program, "cc");
  EXPECT_EQ(path.longest_on_path[0].path_ns, 100);
  EXPECT_EQ(path.longest_on_path[1].alone_ns, 80);
}

TEST(JobPath, OfAPerfectlyParallelJobSaysThatTheMachineIsFull) {
  Make make;
  for (int i = 0; i < 5; ++i) make.Starts("cc", {100, 100});
  const JobPath path = make.Path();
  EXPECT_TRUE(path.is_job);
  EXPECT_EQ(path.verdict, PathLoss::kFull);
  EXPECT_EQ(LossesText(path), "full 500 | serial 60");
  EXPECT_NEAR(path.gain_bound, 560 / 530.0, 1e-9);
}

TEST(JobPath, CallsAPartThatRunsAloneSerial) {
  const JobPath path = Make().Starts("cc", {100, 100}).Starts("ld", {100}).Path();
  EXPECT_EQ(path.verdict, PathLoss::kSerial);
  EXPECT_EQ(LossesText(path), "serial 130 | full 100");
  EXPECT_EQ(path.loss_programs[0].program, "ld");
  EXPECT_NEAR(path.gain_bound, 230 / (230 - 130 / 2.0), 1e-9);  // Amdahl
}

TEST(JobPath, CallsNoPartSerialThatIsShort) {
  const JobPath path =
      Make().Starts("cc", {100, 100}).Starts("cc", {100, 100}).Starts("ld", {8}).Path();
  EXPECT_EQ(LossesText(path), "full 200 | serial 48");
  EXPECT_EQ(path.verdict, PathLoss::kFull) << "48 of 248 ns are less than a fifth";
}

TEST(JobPath, CallsALongOneThatItsLikeRanBesideAStraggler) {
  const JobPath path = Make().Starts("cc", {50, 50}).Starts("cc", {200, 50}).Path();
  EXPECT_EQ(path.verdict, PathLoss::kBarrier);
  EXPECT_EQ(LossesText(path), "barrier 150 | full 100 | serial 30");
  EXPECT_EQ(path.loss_programs[0].program, "cc");
  EXPECT_EQ(path.barrier_parent, "make");
  EXPECT_FALSE(path.runs_go_on);
  EXPECT_EQ(path.longest_piece_ns, 200);
  EXPECT_NEAR(path.gain_bound, 280 / (280 - 150 / 2.0), 1e-9);
}

TEST(JobPath, KnowsWhetherOthersOfItsKindRunAfterAStraggler) {
  const JobPath path = Make().Starts("cc", {200, 50}).Starts("cc", {50, 50}).Path();
  EXPECT_EQ(path.verdict, PathLoss::kBarrier);
  EXPECT_TRUE(path.runs_go_on);
}

// Each compiler in a driver of its own, one of them in a shell, too.
TEST(JobPath, FindsAStragglersLikeBelowOtherParents) {
  JobTrace job;
  job.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "make").Run(0, kMake, 0, 10);
  job.Fork(10, kMake, 20).Exec(10, 20, "sh").Fork(10, kMake, 21).Exec(10, 21, "gcc");
  job.Run(0, 20, 10, 20).Run(1, 21, 10, 20);
  job.Command(0, 20, 30, "cc1", 20, 200).Command(1, 21, 31, "cc1", 20, 60);
  job.Run(1, 21, 60, 65, 'X').Run(0, 20, 200, 205, 'X').Wake(205, kMake, "20");
  job.Run(0, kMake, 205, 210, 'X').End(220);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_EQ(path.verdict, PathLoss::kBarrier);
  EXPECT_EQ(path.barrier_parent, "make");
  EXPECT_FALSE(path.runs_go_on);
}

TEST(JobPath, CallsALongOneNoStragglerWithoutItsLikeBesideIt) {
  const JobPath path = Make().Starts("cc", {50, 50}).Starts("cc", {200}).Path();
  EXPECT_EQ(path.verdict, PathLoss::kSerial);
  EXPECT_EQ(LossesText(path), "serial 230 | full 50");
}

// A compiler that asks the disk and sleeps until it answers.
void ReadsOnce(Make& make, int tid, uint64_t run_ns, uint64_t disk_ns) {
  JobTrace& trace = make.trace();
  const uint64_t start_ns = make.now_ns();
  trace.Run(0, kMake, start_ns, start_ns + 10);
  trace.Fork(start_ns + 10, kMake, tid).Exec(start_ns + 10, tid, "tar");
  const uint64_t asks_ns = start_ns + 10 + run_ns;
  const uint64_t done_ns = asks_ns + disk_ns;
  trace.Line(asks_ns - 1, "issue " + std::to_string(tid) + " 8 4096 5");
  trace.Run(0, tid, start_ns + 10, asks_ns, 'D');
  trace.Line(done_ns, "complete 8 5 " + std::to_string(disk_ns + 1));
  trace.Wake(done_ns, tid, "disk 8").Run(0, tid, done_ns, done_ns + 10, 'X');
  trace.Wake(done_ns + 10, kMake, std::to_string(tid));
  make.Goes(10 + run_ns + disk_ns + 10);
}

TEST(JobPath, ChargesAWaitForADiskFromItsIssue) {
  Make make;
  make.trace().Header("disk 8 vda");
  ReadsOnce(make, 50, 20, 100);
  ReadsOnce(make, 51, 20, 100);
  const JobPath path = make.Path();
  EXPECT_EQ(SharesText(path),
            "tar disk 202 alone 202 | tar run 58 alone 58 | make run 30 alone 30");
  EXPECT_EQ(path.verdict, PathLoss::kDisk);
  EXPECT_EQ(path.loss_programs[0].program, "tar");
}

TEST(JobPath, SaysNothingOfADiskThatIsSeldomWaitedFor) {
  Make make;
  make.trace().Header("disk 8 vda");
  make.Starts("cc", {100, 100});
  ReadsOnce(make, 50, 5, 20);
  const JobPath path = make.Path();
  EXPECT_EQ(path.verdict, PathLoss::kSerial);
  EXPECT_EQ(path.loss_ns[static_cast<size_t>(PathLoss::kDisk)], 21);
}

TEST(JobPath, ChargesTimersAndPacketsAndStays) {
  Make make;
  make.Starts("curl", {10});
  const uint64_t now_ns = make.now_ns();
  make.trace().Run(0, kMake, now_ns, now_ns + 5).Wake(now_ns + 105, kMake, "timer");
  make.trace().Run(0, kMake, now_ns + 105, now_ns + 110).Wake(now_ns + 150, kMake, "nic 2");
  make.trace().Header("nic 2 eth0");
  make.Goes(150);
  const JobPath path = make.Path();
  EXPECT_EQ(SharesText(path),
            "make timer 100 | make network 40 | make run 30 alone 30 | curl run 10 alone 10");
  EXPECT_EQ(path.verdict, PathLoss::kIdle);
}

// Two that wake each other, each of which works alone.
TEST(JobPath, SaysWhoTakesTurns) {
  JobTrace job;
  job.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "sh").Run(0, kMake, 0, 10);
  job.Fork(10, kMake, 20).Exec(10, 20, "tr").Fork(10, kMake, 21).Exec(10, 21, "sort");
  job.Run(1, 21, 10, 12);
  uint64_t at_ns = 10;
  for (int i = 0; i < 5; ++i, at_ns += 100) {
    job.Run(0, 20, at_ns, at_ns + 50, 'S').Wake(at_ns + 50, 21, "20");
    job.Run(1, 21, at_ns + 50, at_ns + 100, i < 4 ? 'S' : 'X');
    if (i < 4) job.Wake(at_ns + 100, 20, "21");
  }
  job.Wake(at_ns, kMake, "21").Run(0, kMake, at_ns, at_ns + 10, 'X').End(at_ns + 20);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "sh");
  EXPECT_EQ(path.verdict, PathLoss::kTurns);
  EXPECT_EQ(SharesText(path), "tr run 250 alone 248 | sort run 250 alone 250 | sh run 20 alone 20");
}

TEST(JobPath, IsTheRowOfItsStretches) {
  const JobPath path = Make().Starts("cc", {100}).Starts("ld", {50}).Path();
  std::vector<std::string> rows;
  for (const PathStretch& stretch : path.stretches) {
    rows.push_back(absl::StrCat(stretch.program, " ", PathStateName(stretch.state), " ",
                                stretch.to_ns - stretch.from_ns));
    if (rows.size() == 1) continue;
    EXPECT_EQ(stretch.from_ns, path.stretches[rows.size() - 2].to_ns);
  }
  EXPECT_THAT(rows, ::testing::ElementsAre("make run 10", "cc run 100", "make run 10", "ld run 50",
                                           "make run 10"));
}

TEST(JobPath, SaysWhoStarvesAJob) {
  Make make;
  make.trace().Alive(2, "hog");
  make.Starts("cc", {100});
  const uint64_t now_ns = make.now_ns();
  make.trace().Run(1, 2, 0, now_ns + 400);
  make.trace().Alive(3, "hog").Run(0, 3, now_ns, now_ns + 300);
  make.Goes(300);  // make was woken, and gets a CPU when the hog leaves it
  const JobPath path = make.Path();
  EXPECT_EQ(path.verdict, PathLoss::kStarved);
  ASSERT_FALSE(path.others.empty());
  EXPECT_EQ(path.others[0].program, "hog");
  EXPECT_EQ(path.loss_ns[static_cast<size_t>(PathLoss::kStarved)], 300);
}

TEST(JobPath, TellsNothingOfTheCpusThatTheRecorderHad) {
  Make make;
  make.trace().Header("recorder 2 gordian S").Header("recorder 3 gordian S");
  make.Starts("cc", {100});
  const uint64_t now_ns = make.now_ns();
  make.trace().Run(1, 2, 0, now_ns + 400).Run(0, 3, now_ns, now_ns + 300);
  make.Goes(300);
  const JobPath path = make.Path();
  EXPECT_EQ(path.loss_ns[static_cast<size_t>(PathLoss::kStarved)], 0);
  EXPECT_EQ(path.loss_ns[static_cast<size_t>(PathLoss::kUntold)], 300);
  EXPECT_TRUE(path.others.empty());
}

TEST(JobPath, IsNotStarvedByAProgramOnACpuThatItDoesNotWant) {
  Make make;
  make.trace().Alive(2, "hog").Run(1, 2, 0, 500);
  const JobPath path = make.Starts("cc", {100}).Starts("cc", {100}).Path();
  EXPECT_EQ(path.verdict, PathLoss::kSerial);
}

TEST(JobPath, SaysThatAJobIsNarrowerThanTheMachine) {
  JobTrace job;
  job.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "make").Run(0, kMake, 0, 10);
  for (int cpu = 0; cpu < 8; ++cpu) {
    // CPUs count that have events of their own.
    job.Run(cpu, 100 + cpu, 500, 501);
    if (cpu < 5) job.Command(cpu, kMake, 20 + cpu, "cc", 10, 210, cpu == 0);
  }
  job.Run(0, kMake, 210, 220, 'X').End(600);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_EQ(path.cpus, 8u);
  EXPECT_EQ(path.narrow, 3u);
  EXPECT_EQ(LossesText(path), "narrow 200 | serial 20");
}

TEST(JobPath, ComesBackFromAServerToTheThreadThatWaitedForIt) {
  JobTrace job;
  job.Alive(1, "bash").Alive(2, "db");
  job.Fork(0, 1, kMake).Exec(0, kMake, "sh").Run(0, kMake, 0, 10);
  job.Fork(10, kMake, 20).Exec(10, 20, "psql");
  job.Run(0, 20, 10, 30).Wake(30, 2, "20");  // asks
  job.Run(1, 2, 30, 130).Wake(130, 20, "2");
  job.Run(0, 20, 130, 140).Wake(140, kMake, "20").Run(0, kMake, 140, 150, 'X').End(160);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "sh");
  EXPECT_EQ(SharesText(path), "(db run 100) | psql run 30 alone 30 | sh run 20 alone 20");
  EXPECT_EQ(path.verdict, PathLoss::kOutside);
}

// ssh waits for sshd, which waits for the shell that it starts.
TEST(JobPath, NamesTheOutsiderThatIsAskedAndNotThoseThatWorkForIt) {
  JobTrace job;
  job.Alive(1, "bash").Alive(5, "sshd").Fork(0, 1, kMake).Exec(0, kMake, "make");
  job.Run(0, kMake, 0, 10).Fork(10, kMake, 20).Exec(10, 20, "ssh").Run(0, 20, 10, 30);
  job.Wake(30, 5, "20").Run(1, 5, 30, 40).Fork(35, 5, 50, "sh");
  job.Run(0, 50, 40, 190).Wake(190, 5, "50").Run(0, 50, 190, 195, 'X');
  job.Run(1, 5, 190, 210).Wake(210, 20, "5").Run(0, 20, 210, 240, 'X').Wake(240, kMake, "20");
  job.Run(0, kMake, 240, 250, 'X').End(260);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_EQ(path.verdict, PathLoss::kOutside);
  ASSERT_FALSE(path.loss_programs.empty());
  EXPECT_EQ(path.loss_programs[0].program, "sshd");
  ASSERT_FALSE(path.askers.empty());
  EXPECT_EQ(path.askers[0].program, "ssh");
}

TEST(JobPath, LeavesAServiceWhoseWorkBeganBeforeTheWait) {
  JobTrace job;
  job.Alive(1, "bash").Alive(2, "db").Run(1, 2, 0, 130);
  job.Fork(0, 1, kMake).Exec(0, kMake, "sh").Run(0, kMake, 0, 50);
  job.Wake(130, kMake, "2").Run(0, kMake, 130, 150, 'X').End(160);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "sh");
  EXPECT_EQ(SharesText(path), "(db run 80) | sh run 70 alone 70");
}

TEST(JobPath, SplitsAProcessWhereItExecs) {
  JobTrace job;
  job.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "sh").Run(0, kMake, 0, 10);
  job.Fork(10, kMake, 20).Exec(40, 20, "gcc").Exec(100, 20, "cc1");
  job.Run(1, 20, 10, 200, 'X').Wake(200, kMake, "20");
  job.Run(0, kMake, 200, 210, 'X').End(220);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "sh");
  EXPECT_EQ(SharesText(path), "cc1 run 100 alone 100 | gcc run 60 alone 60 | sh run 50 alone 50");
}

// A server that runs for 1000 ns, and a helper that it begins for `helper_ns` on the other CPU.
JobPath PathOfAServer(uint64_t helper_ns) {
  JobTrace job;
  job.Alive(1, "db").Run(0, 1, 0, 1000).Fork(480, 1, 20).Exec(480, 20, "df");
  job.Run(1, 20, 480, 480 + helper_ns, 'X').End(1000);
  const ScenarioTimeline trace(job.Text());
  JobPathOptions options;
  options.is_target.assign(trace.timeline().thread_count(), 0);
  options.is_target[trace.Id("db")] = 1;
  return FindJobPath(trace.timeline(), options);
}

TEST(JobPath, OfAServerIsNone) { EXPECT_FALSE(PathOfAServer(20).exists); }

TEST(JobPath, OfAServerThatBeginsSomeProcessesIsNoJob) {
  const JobPath path = PathOfAServer(200);
  EXPECT_TRUE(path.exists);
  EXPECT_FALSE(path.is_job);
  EXPECT_NEAR(path.short_lived_share, 200 / 1200.0, 1e-9);
}

// A server that starts ten processes, each for 80 ns, and a client that wakes one in `one_in` of
// them.
JobPath PathOfForks(int one_in, bool exec = false) {
  JobTrace job;
  job.Alive(1, "db").Alive(2, "client");
  for (int i = 0; i < 10; ++i) {
    const uint64_t at_ns = static_cast<uint64_t>(i) * 100;
    const int child = 20 + i;
    job.Run(0, 1, at_ns, at_ns + 10).Fork(at_ns + 5, 1, child);
    if (exec) job.Exec(at_ns + 10, child, "curl");
    job.Run(1, child, at_ns + 10, at_ns + 50);
    const bool asks = i % one_in == 0;
    if (asks) job.Run(0, 2, at_ns + 50, at_ns + 60);
    job.Wake(at_ns + 55, child, asks ? "2" : "timer").Run(1, child, at_ns + 60, at_ns + 95, 'X');
    if (i < 9) job.Wake(at_ns + 100, 1, "timer");
    if (i < 9) job.Wake(at_ns + 100, 2, "timer");
  }
  job.End(1000);
  const ScenarioTimeline trace(job.Text());
  JobPathOptions options;
  options.is_target.assign(trace.timeline().thread_count(), 0);
  options.is_target[trace.Id("db")] = 1;
  return FindJobPath(trace.timeline(), options);
}

TEST(JobPath, OfProcessesWithoutAProgramOfTheirOwnThatTalkWithOutsidersIsThatOfAServer) {
  const JobPath path = PathOfForks(1);
  EXPECT_TRUE(path.is_job);
  EXPECT_TRUE(path.is_server);
  EXPECT_EQ(path.server, "db");
  EXPECT_EQ(path.served_processes, 10u);
  EXPECT_NEAR(path.served_busy_ns, 75, 6);
}

TEST(JobPath, OfAServerIsSeenFromSomeOfItsProcesses) {
  EXPECT_EQ(PathOfForks(4).served_processes, 10u);
}

TEST(JobPath, OfCommandsThatAskOutsidersIsThatOfAJob) {
  EXPECT_FALSE(PathOfForks(1, /*exec=*/true).is_server);
}

TEST(JobPath, OfProcessesThatHardlyTalkWithOutsidersIsThatOfAJob) {
  const JobPath path = PathOfForks(100);
  EXPECT_FALSE(path.is_server);
}

TEST(JobPath, OfAWindowIsTheAverageOverItsParts) {
  Make make;
  for (int i = 0; i < 5; ++i) make.Starts("cc", {100, 100});
  make.trace().Run(0, kMake, make.now_ns(), make.now_ns() + 10, 'X').End(make.now_ns() + 20);
  const ScenarioTimeline trace(make.trace().Text());
  const JobPath path = PathOf(
      trace, "make", {.from_ns = ScenarioTimeline::At(10), .to_ns = ScenarioTimeline::At(430)});
  EXPECT_FALSE(path.is_whole);
  EXPECT_NEAR(path.length_ns, 420, 1e-6);
  EXPECT_EQ(path.verdict, PathLoss::kFull);
}

// The recorder (1) forks, and its child waits for its word to exec.
TEST(JobPath, DoesNotCountTheRecordersChildBeforeItsExec) {
  JobTrace job;
  job.Header("recorder 1 gordian S").Run(0, 1, 0, 30).Fork(10, 1, kMake);
  job.Run(1, kMake, 10, 20).Wake(50, kMake, "timer").Run(1, kMake, 50, 150, 'X');
  job.Exec(60, kMake, "make").End(160);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_EQ(path.length_ns, 90);
  EXPECT_EQ(SharesText(path), "make run 90 alone 90");
}

TEST(JobPath, NeverGoesThroughTheRecorder) {
  JobTrace job;
  job.Alive(1, "bash").Header("recorder 2 gordian S").Run(1, 2, 0, 60);
  job.Fork(0, 1, kMake).Exec(0, kMake, "make").Run(0, kMake, 0, 10).Wake(60, kMake, "2");
  job.Run(0, kMake, 60, 70, 'X').End(80);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_EQ(SharesText(path), "make recorder 50 | make run 20 alone 20");
}

// What was behind the pause is not known.
TEST(JobPath, NeverGoesThroughAPause) {
  JobTrace job;
  job.Alive(1, "bash").Header("pause 40 60").Header("told 61 1 S 1");
  job.Fork(0, 1, kMake).Exec(0, kMake, "make").Run(0, kMake, 0, 80, 'X').End(90);
  const std::string text = job.Text() + "told 61 10 R 0\n";  // make, which is born by then
  const JobPath path = PathOf(ScenarioTimeline(text), "make");
  EXPECT_NEAR(path.length_ns, 61, 1e-6) << "a pause leaves one nanosecond";
}

// A job that outlives the budget of its recording: the path is that of the time before.
TEST(JobPath, OfARootThatEndedInAPauseIsThatOfWhoWorkedBeforeIt) {
  JobTrace job;
  job.Alive(1, "bash").Header("pause 100 200");
  job.Fork(0, 1, kMake).Exec(0, kMake, "make").Run(0, kMake, 0, 10);
  job.Command(1, kMake, 20, "cc", 10, 60)
      .Run(0, kMake, 60, 70)
      .Command(1, kMake, 21, "cc", 70, 150);
  job.Line(160, "exit 10").End(210);
  const JobPath path = PathOf(ScenarioTimeline(job.Text()), "make");
  EXPECT_FALSE(path.is_whole);
  EXPECT_EQ(SharesText(path), "cc run 80 alone 80 | make run 20 alone 20");
}

TEST(JobPath, WithoutATargetIsNone) {
  const ScenarioTimeline trace(Make().Starts("cc", {100}).trace().Text());
  EXPECT_FALSE(FindJobPath(trace.timeline(), {}).exists);
}

TEST(JobPath, OfTwoNamedServersIsNotThatOfTheShellThatStartedThem) {
  JobTrace job;
  job.Alive(1, "init").Alive(10, "sh");
  job.Fork(0, 10, 20).Exec(0, 20, "db").Fork(0, 10, 21).Exec(0, 21, "proxy");
  job.Run(0, 20, 0, 100).Run(0, 21, 100, 200);
  for (int i = 0; i < 8; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 100;
    job.Command(1, 10, 30 + i, "gzip", begin_ns, begin_ns + 100);
  }
  const ScenarioTimeline trace(job.End(1000).Text());
  JobPathOptions options;
  options.is_target.assign(trace.timeline().thread_count(), 0);
  options.is_target[trace.Id("db")] = options.is_target[trace.Id("proxy")] = 1;
  EXPECT_FALSE(FindJobPath(trace.timeline(), options).exists);
  options.is_target[trace.Id("sh")] = 1;
  EXPECT_TRUE(FindJobPath(trace.timeline(), options).is_job);
}

TEST(JobPath, IsFoundWithoutANameWhereShortLivedOnesWorkMost) {
  Make make;
  make.trace().Alive(2, "idle");
  for (int i = 0; i < 5; ++i) make.Starts("cc", {100, 100});
  make.trace().Run(0, kMake, make.now_ns(), make.now_ns() + 10, 'X').End(make.now_ns() + 20);
  const ScenarioTimeline trace(make.trace().Text());
  const JobPath path = PathOf(trace, "idle", {.is_named = false});
  EXPECT_EQ(path.root_program, "make");
  EXPECT_TRUE(path.is_job);
}

}  // namespace
}  // namespace gordian
