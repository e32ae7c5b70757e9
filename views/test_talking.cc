// SPDX-License-Identifier: Apache-2.0
#include "views/test_talking.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "nodes/test_cluster.h"

namespace gordian {
namespace {

using testing::operator""_ms;
using testing::kDb;
using testing::kWeb;
using testing::TestCluster;

constexpr int32_t kFront = 10, kStore = 20, kWorker = 21;

void AddRound(TestCluster& cluster, int round, uint32_t& asked, uint32_t& answered) {
  const uint64_t begin_ns = static_cast<uint64_t>(round) * TalkingRecording::kRoundNs;
  const auto ask = static_cast<uint32_t>(TalkingRecording::kAsked) *
                   (round == TalkingRecording::kLoudRound ? 10 : 1);
  const auto answer = static_cast<uint32_t>(TalkingRecording::kAnswered);
  cluster.At("web", begin_ns, kNoCpu).PhaseBegin(kFront, "round", "");
  cluster.At("web", begin_ns + 1_ms);
  cluster.Send("web", kWeb, kDb, asked, ask, kFront);
  cluster.At("web", begin_ns + 1_ms).Block();
  cluster.At("db", begin_ns + 2_ms);
  cluster.Deliver("db", kWeb, kDb, asked, ask, kStore);
  cluster.At("db", begin_ns + 2_ms).Run(kStore);
  cluster.At("db", begin_ns + 3_ms).Wake(kWorker);
  cluster.At("db", begin_ns + 3_ms, 1).Run(kWorker);
  cluster.At("db", begin_ns + 3_ms + 500'000, 1).Block();
  cluster.At("db", begin_ns + 4_ms);
  cluster.Send("db", kDb, kWeb, answered, answer, kStore);
  cluster.At("db", begin_ns + 4_ms).Block();
  cluster.At("web", begin_ns + 5_ms);
  cluster.Deliver("web", kDb, kWeb, answered, answer, kFront);
  cluster.At("web", begin_ns + 5_ms).Run(kFront);
  cluster.At("web", begin_ns + 10_ms - 1, kNoCpu).Probe(kFront, ProbeKind::kPhaseEnd, "round");
  asked += ask;
  answered += answer;
}

}  // namespace

TalkingRecording::TalkingRecording() {
  TestCluster cluster;
  cluster.Node("web").Thread(kFront, "front");
  cluster.Node("db", {.skew_ns = 7'000'000, .bound_ns = 1'000})
      .Thread(kStore, "store")
      .Thread(kWorker, "worker", kStore);
  cluster.Flow(kWeb, kDb);
  cluster.Flow(kDb, kWeb);
  cluster.At("web", 0).Run(kFront);
  uint32_t asked = 1000, answered = 5000;
  for (int round = 0; round < kRounds; ++round) AddRound(cluster, round, asked, answered);
  cluster.Measure(kRounds * kRoundNs);
  cluster.Write(folder());
  auto analysis = Analysis::Run(folder());
  if (!analysis.ok()) {
    ADD_FAILURE() << analysis.status();
    std::abort();
  }
  analysis_ = std::make_unique<Analysis>(*std::move(analysis));
  units_ = FindUnits(timeline(), analysis_->merged_graph().vertex_of_entity,
                     {{"web", "r1"}, {"db", "r2"}});
}

uint32_t TalkingRecording::Process(const std::string& name) const {
  for (uint32_t i = 0; i < units_.processes.size(); ++i)
    if (units_.processes[i].name == name) return i;
  ADD_FAILURE() << "no process " << name;
  std::abort();
}

uint32_t TalkingRecording::Node(const std::string& name) const {
  for (uint32_t i = 0; i < units_.nodes.size(); ++i)
    if (units_.nodes[i].name == name) return i;
  ADD_FAILURE() << "no node " << name;
  std::abort();
}

}  // namespace gordian
