// SPDX-License-Identifier: Apache-2.0
// A session on three nodes that each keep to a budget, which is less than recording costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cluster/cluster_rig.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPauses = 3;

// Two threads that hand a byte to and fro: more to record than any budget here allows.
class BusyPair {
 public:
  BusyPair() {
    EXPECT_EQ(pipe(there_) | pipe(back_), 0);
    ping_ = std::thread([this] {
      char byte = 0;
      while (!ends_ && write(there_[1], &byte, 1) == 1 && read(back_[0], &byte, 1) == 1) {
      }
      close(there_[1]);
    });
    pong_ = std::thread([this] {
      char byte = 0;
      while (read(there_[0], &byte, 1) == 1 && write(back_[1], &byte, 1) == 1) {
      }
    });
  }
  ~BusyPair() {
    ends_ = true;
    ping_.join();
    pong_.join();
    for (const int fd : {there_[0], back_[0], back_[1]}) close(fd);
  }

 private:
  int there_[2], back_[2];
  std::atomic<bool> ends_ = false;
  std::thread ping_, pong_;
};

class PausedCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* why = ClusterRig::WhyNot()) GTEST_SKIP() << why;
    rig_ = std::make_unique<ClusterRig>();
    rig_->StartDaemons();
  }
  pb::Session OnNode(int node) const {
    pb::Session session;
    std::ifstream file(rig_->SessionFolder(node, "web") + "/session.pb", std::ios::binary);
    session.ParseFromIstream(&file);
    return session;
  }
  std::unique_ptr<ClusterRig> rig_;
};

TEST_F(PausedCluster, NodesWithABudgetPauseAndAreJoinedAllTheSame) {
  const BusyPair load;
  const ProgramResult start =
      rig_->Gordian({"start", "web", "--budget", "0.5%", "--require-all", "--require"});
  ASSERT_EQ(start.exit_code, 0) << start.errors;
  for (int node = 0; node < ClusterRig::kNodes; ++node)
    ClusterRig::Await("each node pauses", [&] { return OnNode(node).pauses_size() >= kPauses; });
  ASSERT_EQ(rig_->Gordian({"stop", "web"}).exit_code, 0);
  ASSERT_EQ(rig_->Gordian({"collect", "web", "-o", rig_->out()}).exit_code, 0);

  uint64_t paused_most_ns = 0;
  for (int node = 0; node < ClusterRig::kNodes; ++node) {
    const pb::Session session = rig_->Collected(node);
    EXPECT_EQ(session.options().budget_ppm(), 5'000u);
    uint64_t paused_ns = 0;
    for (const pb::Pause& pause : session.pauses()) paused_ns += pause.to_ns() - pause.from_ns();
    EXPECT_LT(paused_ns, session.end_time_ns() - session.start_time_ns());
    paused_most_ns = std::max(paused_most_ns, paused_ns);
  }
  const ProgramResult analyze = RunProgram({GORDIAN_PROGRAM, "analyze", rig_->out()});
  EXPECT_EQ(analyze.exit_code, 0) << analyze.errors;
  EXPECT_THAT(analyze.output, HasSubstr("to keep to their budgets"));
  EXPECT_THAT(analyze.output, HasSubstr("node2"));
  EXPECT_THAT(analyze.output, Not(HasSubstr("left out")));
}

TEST_F(PausedCluster, OwnersCutWhatIsAskedForAndTheAnswerNamesThem) {
  const ProgramResult start =
      rig_->Gordian({"start", "web", "--budget", "none", "--max-size", "1G"});
  EXPECT_EQ(start.exit_code, 0) << start.errors;
  EXPECT_THAT(start.errors, HasSubstr("node0, node1, node2: --budget none is cut to 2 %"));
  EXPECT_THAT(start.errors, HasSubstr("node0, node1, node2: --max-size 1 GiB is cut to 16 MiB"));
  const ProgramResult required =
      rig_->Gordian({"start", "db", "--budget", "none", "--require", "--require-all"});
  EXPECT_EQ(required.exit_code, 1);
  EXPECT_THAT(required.errors, HasSubstr("is beyond this node's max-cpu of 2 %"));
}

}  // namespace
}  // namespace gordian
