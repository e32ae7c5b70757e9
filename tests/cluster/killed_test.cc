// SPDX-License-Identifier: Apache-2.0
// Any process is killed, at any step: the others go on, and any controller can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include <csignal>
#include <fstream>
#include <random>

#include "tests/cluster/cluster_rig.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class KilledTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* why = ClusterRig::WhyNot()) GTEST_SKIP() << why;
    rig_ = std::make_unique<ClusterRig>();
  }

  // A controller that has armed the first two nodes and waits for the third, which is frozen: so it
  // stands between arming and beginning for as long as a test likes.
  std::unique_ptr<BackgroundProgram> StartHalfWay(std::vector<std::string> words) {
    kill(rig_->daemon(2).pid(), SIGSTOP);
    auto controller = rig_->GordianInBackground(std::move(words));
    ClusterRig::Await("two nodes are armed", [&] {
      return rig_->State(0, "web") == "armed" && rig_->State(1, "web") == "armed";
    });
    return controller;
  }
  void Thaw() { kill(rig_->daemon(2).pid(), SIGCONT); }
  static int Outcome(BackgroundProgram& program) {
    ClusterRig::Await("the command ends", [&] { return program.Ended().has_value(); });
    return program.Ended().value_or(-1);
  }

  // A session of all nodes, of which one has a file so large that its way takes time.
  void RecordSomethingLarge() {
    ASSERT_EQ(rig_->Gordian({"start", "web", "--require-all"}).exit_code, 0);
    ASSERT_EQ(rig_->Gordian({"stop", "web"}).exit_code, 0);
    std::string bytes(12 << 20, '\0');
    std::mt19937 random(5);
    for (char& byte : bytes) byte = static_cast<char>(random());
    std::ofstream(LargeFile(), std::ios::binary) << bytes;
  }
  std::string LargeFile() const { return rig_->SessionFolder(1, "web") + "/cpu-999.trace"; }
  std::unique_ptr<BackgroundProgram> CollectHalfWay() {
    auto collect = rig_->GordianInBackground({"collect", "web", "-o", rig_->out(), "--rate", "2M"});
    const std::string part = rig_->out() + "/node1/.cpu-999.trace.part";
    ClusterRig::Await("some of the large file is here", [&] {
      std::error_code none_yet;
      const uintmax_t bytes = fs::file_size(part, none_yet);
      return !none_yet && bytes > 0;
    });
    return collect;
  }
  void ExpectTheRestIsCollected() {
    const ProgramResult again = rig_->Gordian({"collect", "web", "-o", rig_->out()});
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_THAT(again.output, HasSubstr("from 3 of 3 nodes"));
    EXPECT_TRUE(ClusterRig::Contents(rig_->out() + "/node1/cpu-999.trace") ==
                ClusterRig::Contents(LargeFile()));
    EXPECT_THAT(again.output, Not(HasSubstr(": 12 MiB"))) << "what was there came again";
    for (int node = 0; node < ClusterRig::kNodes; ++node) {
      EXPECT_TRUE(rig_->Collected(node).complete()) << node;
      EXPECT_FALSE(fs::exists(rig_->out() + "/" + ClusterRig::Name(node) + "/.session.pb.part"));
    }
  }

  std::unique_ptr<ClusterRig> rig_;
};

TEST_F(KilledTest, AControllerKilledBetweenArmingAndBeginningLeavesNodesThatAnyOtherCanTake) {
  rig_->StartDaemons();
  const auto controller = StartHalfWay({"start", "web"});
  controller->End(SIGKILL);
  Thaw();
  EXPECT_EQ(rig_->State(0, "web"), "armed") << "nothing is recorded that nobody began";
  rig_->Gordian({"stop", "web"});
  // The dead controller's request to the frozen node may only now have come to nothing.
  ClusterRig::Await("the frozen node has let go", [&] { return rig_->State(2, "web").empty(); });
  const ProgramResult start = rig_->Gordian({"start", "web", "--require-all"});
  EXPECT_EQ(start.exit_code, 0) << start.errors;
  EXPECT_EQ(rig_->Gordian({"stop", "web"}).exit_code, 0);
}

TEST_F(KilledTest, ADaemonKilledBetweenArmingAndBeginningIsToldAndTheOthersRecord) {
  rig_->StartDaemons();
  const auto controller = StartHalfWay({"start", "web"});
  rig_->daemon(1).End(SIGKILL);
  Thaw();
  EXPECT_EQ(Outcome(*controller), 1);
  EXPECT_THAT(rig_->BackgroundErrors(), HasSubstr("gordian: node1: "));
  EXPECT_EQ(rig_->State(0, "web"), "recording");
  EXPECT_EQ(rig_->State(2, "web"), "recording");
}

TEST_F(KilledTest, ADaemonKilledBetweenArmingAndBeginningKeepsAllFromItIfAllAreAskedFor) {
  rig_->StartDaemons();
  const auto controller = StartHalfWay({"start", "web", "--require-all"});
  rig_->daemon(1).End(SIGKILL);
  Thaw();
  EXPECT_EQ(Outcome(*controller), 1);
  EXPECT_THAT(rig_->BackgroundErrors(), HasSubstr("web was not started anywhere"));
  EXPECT_EQ(rig_->State(0, "web"), "");
  EXPECT_EQ(rig_->State(2, "web"), "");
  // The leftovers of the dead one do not stand in the way.
  rig_->StartDaemon(1);
  const ProgramResult start = rig_->Gordian({"start", "web", "--require-all"});
  EXPECT_EQ(start.exit_code, 0) << start.errors;
}

TEST_F(KilledTest, ANodeFrozenBetweenArmingAndBeginningIsToldAndTheOthersRecord) {
  rig_->StartDaemons();
  const auto controller = StartHalfWay({"start", "web"});
  kill(rig_->daemon(1).pid(), SIGSTOP);
  Thaw();
  EXPECT_EQ(Outcome(*controller), 1);
  EXPECT_THAT(rig_->BackgroundErrors(),
              HasSubstr("gordian: node1: 10.77.0.2:7470 did not answer in time"));
  EXPECT_EQ(rig_->State(0, "web"), "recording");
  EXPECT_EQ(rig_->State(2, "web"), "recording");
  kill(rig_->daemon(1).pid(), SIGCONT);
  EXPECT_EQ(rig_->Gordian({"stop", "web"}).exit_code, 0) << "of the armed one, too";
  EXPECT_EQ(rig_->State(1, "web"), "");
}

TEST_F(KilledTest, ADaemonKilledWhileRecordingCostsItsOwnDataAfterItsLastFlushOnly) {
  rig_->StartDaemons();
  ASSERT_EQ(rig_->Gordian({"start", "web", "--require-all"}).exit_code, 0);
  rig_->daemon(1).End(SIGKILL);
  rig_->StartDaemon(1);
  EXPECT_EQ(rig_->State(0, "web"), "recording");
  const ProgramResult stop = rig_->Gordian({"stop", "web"});
  EXPECT_EQ(stop.exit_code, 1);
  EXPECT_THAT(stop.errors, HasSubstr("gordian: node1: "));
  const ProgramResult collect = rig_->Gordian({"collect", "web", "-o", rig_->out()});
  EXPECT_EQ(collect.exit_code, 0) << collect.errors;
  EXPECT_TRUE(rig_->Collected(0).complete());
  EXPECT_FALSE(rig_->Collected(1).complete());
  EXPECT_TRUE(rig_->Collected(2).complete());
  EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "dump", "--summary", rig_->out() + "/node1"}).exit_code,
            0);
}

TEST_F(KilledTest, AControllerKilledWhileCollectingIsTakenUpByAnother) {
  rig_->StartDaemons();
  RecordSomethingLarge();
  CollectHalfWay()->End(SIGKILL);
  ExpectTheRestIsCollected();
}

TEST_F(KilledTest, ADaemonKilledWhileCollectingGivesTheRestOnceItRunsAgain) {
  rig_->StartDaemons();
  RecordSomethingLarge();
  const auto collect = CollectHalfWay();
  rig_->daemon(1).End(SIGKILL);
  EXPECT_EQ(Outcome(*collect), 1);
  EXPECT_THAT(rig_->BackgroundErrors(), HasSubstr("gordian: node1: "));
  EXPECT_THAT(rig_->BackgroundErrors(), HasSubstr("the same command goes on where it stopped"));
  rig_->StartDaemon(1);
  ExpectTheRestIsCollected();
}

// Fills the file system `path` is on to the last byte.
void Fill(const std::string& path) {
  std::ofstream filler(path, std::ios::binary);
  const std::string block(64 << 10, 'x');
  while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

TEST_F(KilledTest, AFullDiskEndsItsNodesSessionWithAReasonAndNobodyElses) {
  rig_->StartDaemon(0);
  // A disk of its own, in a mount namespace that goes with the daemon.
  rig_->StartDaemon(
      1, {"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
          "mount -t tmpfs -o size=40M none \"$0\" && exec \"$@\"", rig_->Folder(1) + "/state"});
  rig_->StartDaemon(2);
  ASSERT_EQ(rig_->Gordian({"start", "web", "--require-all"}).exit_code, 0);
  Fill(rig_->SessionFolder(1, "web") + "/../../filler");
  ClusterRig::Await("the node has ended it", [&] { return rig_->State(1, "web") == "ended"; });
  EXPECT_EQ(rig_->State(0, "web"), "recording");
  EXPECT_EQ(rig_->State(2, "web"), "recording");
  const ProgramResult stop = rig_->Gordian({"stop", "web"});
  EXPECT_EQ(stop.exit_code, 1);
  EXPECT_THAT(stop.output, HasSubstr("had ended: "));
  EXPECT_THAT(stop.errors, HasSubstr("gordian: node1: web did not end as it should: "));
  EXPECT_THAT(stop.errors, HasSubstr("free"));
  const ProgramResult collect = rig_->Gordian({"collect", "web", "-o", rig_->out()});
  EXPECT_EQ(collect.exit_code, 0) << collect.errors;
  EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "dump", "--summary", rig_->out() + "/node1"}).exit_code,
            0);
}

}  // namespace
}  // namespace gordian
