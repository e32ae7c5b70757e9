// SPDX-License-Identifier: Apache-2.0
// Sessions over a network that is late, lossy or cut, and between clocks that are far apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include "recorder/sources/clock.h"
#include "tests/cluster/cluster_rig.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* why = ClusterRig::WhyNot()) GTEST_SKIP() << why;
    rig_ = std::make_unique<ClusterRig>();
  }

  // A session of all nodes, collected, in which every clock was measured.
  void RecordAndCollect() {
    const ProgramResult start = rig_->Gordian({"start", "web", "--require-all"});
    ASSERT_EQ(start.exit_code, 0) << start.errors;
    ClusterRig::Await("the clocks have been measured", [&] {
      const std::string status = rig_->Gordian({"status", "web", "--json"}).output;
      size_t measured = 0;
      for (size_t at = 0; (at = status.find("clock_offset_ns", at)) != std::string::npos; ++at) {
        ++measured;
      }
      return measured == ClusterRig::kNodes - 1;
    });
    const ProgramResult stop = rig_->Gordian({"stop", "web"});
    ASSERT_EQ(stop.exit_code, 0) << stop.errors;
    const ProgramResult collect = rig_->Gordian({"collect", "web", "-o", rig_->out()});
    ASSERT_EQ(collect.exit_code, 0) << collect.errors;
  }

  // All nodes run on this machine's one clock, so the test alone sets them apart: `apart_ns` is the
  // truth.
  void ExpectOffsetsWithinTheirBounds(int node, int64_t apart_ns, uint64_t least_bound_ns,
                                      int least_offsets = 2) {
    const pb::NodeClock clock = rig_->Collected(node).node_clock();
    EXPECT_EQ(clock.reference(), "node0");
    ASSERT_GE(clock.offsets_size(), least_offsets) << "at the start and at the end";
    EXPECT_EQ(clock.contradictions(), 0u);
    for (const pb::ClockOffset& offset : clock.offsets()) {
      const int64_t wrong_ns = offset.offset_ns() - apart_ns;
      EXPECT_LE(static_cast<uint64_t>(std::llabs(wrong_ns)), offset.bound_ns());
      EXPECT_GE(offset.bound_ns(), least_bound_ns);
    }
  }

  void ExpectBeganTogether() {
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    for (int node = 0; node < ClusterRig::kNodes; ++node) {
      first_ns = std::min(first_ns, rig_->Collected(node).start_time_ns());
      last_ns = std::max(last_ns, rig_->Collected(node).start_time_ns());
    }
    EXPECT_LT(last_ns - first_ns, 2'000'000'000u) << "seconds are clocks apart, not scheduling";
  }

  std::unique_ptr<ClusterRig> rig_;
};

TEST_F(HostileNetworkTest, DelayAndAsymmetryWidenTheBoundAndTheTruthStaysWithinIt) {
  rig_->StartDaemons();
  rig_->network().SetWays(rig_->PortOf(1), {.delay = milliseconds(5)}, {.delay = milliseconds(45)});
  rig_->network().SetWays(rig_->PortOf(2), {.delay = milliseconds(30)}, {.delay = milliseconds(2)});
  RecordAndCollect();
  ExpectOffsetsWithinTheirBounds(1, 0, 25'000'000);
  ExpectOffsetsWithinTheirBounds(2, 0, 16'000'000);
  ExpectBeganTogether();
  // Its answers are 40 ms late one way only: no exchange can tell, and so the bound must.
  const pb::ClockOffset last = *rig_->Collected(1).node_clock().offsets().rbegin();
  EXPECT_GT(std::llabs(last.offset_ns()), 15'000'000);
}

TEST_F(HostileNetworkTest, LossCostsTimeAndNothingElse) {
  rig_->StartDaemons();
  for (int node = 0; node < ClusterRig::kNodes; ++node) {
    rig_->network().SetWays(rig_->PortOf(node), {.loss = 0.05}, {.loss = 0.05});
  }
  RecordAndCollect();
  EXPECT_GT(rig_->network().frames_dropped(), 0u);
  for (int node = 0; node < ClusterRig::kNodes; ++node) {
    EXPECT_TRUE(rig_->Collected(node).complete());
    EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "dump", "--summary",
                          rig_->out() + "/" + ClusterRig::Name(node)})
                  .exit_code,
              0);
  }
  // The one at the end may have met too much of it.
  ExpectOffsetsWithinTheirBounds(1, 0, 0, 1);
  ExpectOffsetsWithinTheirBounds(2, 0, 0, 1);
}

TEST_F(HostileNetworkTest, ANodeBehindACutIsToldAtTheStartAndTheOthersRecord) {
  rig_->StartDaemons();
  rig_->Cut(2);
  const ProgramResult all = rig_->Gordian({"start", "web", "--require-all"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_THAT(all.errors, HasSubstr("gordian: node2: "));
  EXPECT_THAT(all.errors, HasSubstr("10.77.0.3:7470"));
  EXPECT_EQ(rig_->State(0, "web"), "");
  const ProgramResult some = rig_->Gordian({"start", "web"});
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_THAT(some.output, HasSubstr("recording web on 2 of 3 nodes"));
}

TEST_F(HostileNetworkTest, ANodeThatVanishesWhileRecordingIsToldAndGivesItsShareOnceItIsBack) {
  rig_->StartDaemons();
  ASSERT_EQ(rig_->Gordian({"start", "web", "--require-all"}).exit_code, 0);
  rig_->Cut(0);  // the clocks' reference, too
  const ProgramResult stop = rig_->Gordian({"stop", "web"});
  EXPECT_EQ(stop.exit_code, 1);
  EXPECT_THAT(stop.errors, HasSubstr("gordian: node0: "));
  EXPECT_THAT(stop.output, HasSubstr("node1: "));
  EXPECT_THAT(stop.output, HasSubstr("node2: "));
  rig_->Mend(0);
  EXPECT_EQ(rig_->State(0, "web"), "recording");
  EXPECT_EQ(rig_->Gordian({"stop", "web", "--nodes", "node0"}).exit_code, 0);
  const ProgramResult collect = rig_->Gordian({"collect", "web", "-o", rig_->out()});
  EXPECT_EQ(collect.exit_code, 0) << collect.errors;
  EXPECT_TRUE(rig_->Collected(0).complete());
  EXPECT_GT(rig_->Collected(1).node_clock().failed_exchanges(), 0u) << "and it is told";
}

TEST_F(HostileNetworkTest, ACollectionGoesOnAfterACut) {
  rig_->StartDaemons();
  ASSERT_EQ(rig_->Gordian({"start", "web", "--require-all"}).exit_code, 0);
  ASSERT_EQ(rig_->Gordian({"stop", "web"}).exit_code, 0);
  std::string bytes(12 << 20, '\0');
  std::mt19937 random(5);
  for (char& byte : bytes) byte = static_cast<char>(random());
  std::ofstream(rig_->SessionFolder(1, "web") + "/cpu-999.trace", std::ios::binary) << bytes;

  const auto collect =
      rig_->GordianInBackground({"collect", "web", "-o", rig_->out(), "--rate", "2M"});
  ClusterRig::Await("some of the large file is here", [&] {
    std::error_code none_yet;
    return fs::file_size(rig_->out() + "/node1/.cpu-999.trace.part", none_yet) > 0 && !none_yet;
  });
  rig_->Cut(1);
  ClusterRig::Await("the command ends", [&] { return collect->Ended().has_value(); });
  EXPECT_EQ(collect->Ended(), 1);
  EXPECT_THAT(rig_->BackgroundErrors(), HasSubstr("gordian: node1: "));
  EXPECT_TRUE(rig_->Collected(0).complete()) << "the others' files have come";

  rig_->Mend(1);
  const ProgramResult again = rig_->Gordian({"collect", "web", "-o", rig_->out()});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output, Not(HasSubstr(": 12 MiB"))) << "what was there came again";
  EXPECT_TRUE(ClusterRig::Contents(rig_->out() + "/node1/cpu-999.trace") == bytes);
}

// Clocks apart as if the machines had been booted 5 s apart: a time namespace of its own.
class ClocksApart : public HostileNetworkTest, public ::testing::WithParamInterface<int> {
 protected:
  static std::vector<std::string> Wrapper() {
    return {"/usr/bin/unshare", "--time",       "--monotonic", std::to_string(GetParam()),
            "--fork",           "--kill-child", "--"};
  }
  // gordiand refuses to run there. Here it stands for a daemon whose kernel has that clock, and so
  // must not see the namespace.
  static std::vector<std::string> WrapperOfDaemon() {
    std::vector<std::string> words = Wrapper();
    words.insert(words.end() - 1, "--mount");
    const std::string hide = "mount --bind /dev/null /proc/$$/timens_offsets && exec \"$@\"";
    words.insert(words.end(), {"/bin/sh", "-c", hide, "sh"});
    return words;
  }
  void SetUp() override {
    if (RunProgram({"/usr/bin/unshare", "--time", "--monotonic", std::to_string(GetParam()),
                    "--fork", "/bin/true"})
            .exit_code != 0) {
      GTEST_SKIP() << "time namespaces may not be made here, or this machine was booted just now";
    }
    HostileNetworkTest::SetUp();
  }
};

TEST_P(ClocksApart, AControllersOwnClockDoesNotMatter) {
  rig_->StartDaemons();
  const uint64_t before_ns = MonotonicNowNs();
  const ProgramResult start = rig_->Gordian({"start", "web", "--require-all"}, Wrapper());
  const uint64_t after_ns = MonotonicNowNs();
  ASSERT_EQ(start.exit_code, 0) << start.errors;
  EXPECT_THAT(start.output, Not(ContainsRegex("[0-9] s late")));
  ASSERT_EQ(rig_->Gordian({"stop", "web"}, Wrapper()).exit_code, 0);
  ASSERT_EQ(rig_->Gordian({"collect", "web", "-o", rig_->out()}).exit_code, 0);
  for (int node = 0; node < ClusterRig::kNodes; ++node) {
    EXPECT_GE(rig_->Collected(node).start_time_ns(), before_ns);
    // It returns at the instant by its own clock; a node's thread may come a little later.
    EXPECT_LE(rig_->Collected(node).start_time_ns(), after_ns + 2'000'000'000);
  }
}

// The reference only serves its clock here: its recording, by a clock that is not its kernel's, is
// not looked at.
TEST_P(ClocksApart, AReferencesClockIsKnownToWithinTheBoundOverAnAsymmetricNetwork) {
  rig_->StartDaemon(0, WrapperOfDaemon());
  rig_->StartDaemon(1);
  rig_->StartDaemon(2);
  rig_->network().SetWays(rig_->PortOf(1), {.delay = milliseconds(1)}, {.delay = milliseconds(20)});
  RecordAndCollect();
  const int64_t apart_ns = int64_t{GetParam()} * 1'000'000'000;
  ExpectOffsetsWithinTheirBounds(1, apart_ns, 10'500'000);
  ExpectOffsetsWithinTheirBounds(2, apart_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Seconds, ClocksApart, ::testing::Values(-5, 5), [](const auto& seconds) {
  return seconds.param < 0 ? "Behind" : "Ahead";
});

}  // namespace
}  // namespace gordian
