// SPDX-License-Identifier: Apache-2.0
#include "near/near_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/recorded_slice.h"
#include "bench/any_cluster.h"
#include "bench/cluster_generator.h"
#include "bench/simulated_cluster.h"
#include "causes/causes.h"
#include "near/node_answers.h"
#include "near/test_asked_folders.h"
#include "nodes/joined_nodes.h"
#include "nodes/test_cluster.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using testing::AskedFolders;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PartsOfAsked;
using testing::PartsOfJoined;
using testing::TextOf;
using testing::ThreadParts;
using testing::WithoutPacking;

RC_GTEST_PROP(SliceAcross, IsTheSliceOfTheJoinedRecording, ()) {
  const ClusterShape shape = AnySmallCluster(100, 3000);
  const TemporaryDirectory directory;
  if (!GenerateCluster(shape, directory / "nodes").ok()) std::abort();
  std::vector<std::string> skipped;
  const auto joined =
      LoadNodes(*FindNodeSessions(directory / "nodes"), {.threads = 1}, {}, skipped);
  if (!joined.ok()) std::abort();
  const Timeline& timeline = joined->timeline;
  const ExecutionGraph graph(timeline);
  AskedFolders asked(directory / "nodes");
  for (int i = 0; i < 3; ++i) {
    SliceRequest request;
    request.thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
    const Entity& entity = timeline.entities()[request.thread];
    request.at_ns = *rc::gen::inRange(entity.begin_ns + 1, entity.end_ns + 1);
    request.scope =
        *rc::gen::element(CausalScope::kBurst, CausalScope::kRequest, CausalScope::kThread);
    if (*rc::gen::inRange(0, 4) == 0)
      request.edge_kinds = static_cast<uint8_t>(*rc::gen::inRange(0, kAllCauseEdges + 1));
    const auto slice = asked.Ask({.thread = absl::StrCat(entity.tid),
                                  .node = timeline.nodes()[entity.node],
                                  .at_ns = request.at_ns - timeline.start_ns(),
                                  .scope = request.scope,
                                  .edge_kinds = request.edge_kinds});
    if (!slice.ok()) RC_FAIL(slice.status().ToString());
    const ThreadParts expected = PartsOfJoined(timeline, SliceOf(graph, request));
    const ThreadParts found = PartsOfAsked(asked.nodes(), *slice);
    if (expected != found)
      RC_LOG() << "thread " << request.thread << " at " << request.at_ns << " scope "
               << static_cast<int>(request.scope) << "\njoined" << TextOf(expected) << "\nasked"
               << TextOf(found);
    RC_ASSERT(expected == found);
  }
}

std::string SmallCluster(const TemporaryDirectory& directory) {
  ClusterShape shape;
  shape.events = 2000;
  shape.nodes = 3;
  if (!GenerateCluster(shape, directory / "nodes").ok()) std::abort();
  return directory / "nodes";
}

// The thread that lives longest on the first node.
NearSliceQuestion SomeQuestion(const std::string& directory) {
  std::vector<std::string> skipped;
  const auto joined = LoadNodes(*FindNodeSessions(directory), {.threads = 1}, {}, skipped);
  if (!joined.ok()) std::abort();
  const auto entities = joined->timeline.entities();
  for (EntityId id = 0; id < joined->timeline.thread_count(); ++id) {
    if (entities[id].node == 0 && entities[id].tid > 0)
      return {.thread = absl::StrCat(entities[id].tid), .node = joined->timeline.nodes()[0]};
  }
  std::abort();
}

TEST(SliceAcross, TellsWhichNodeDoesNotAnswer) {
  const TemporaryDirectory directory;
  const std::string nodes = SmallCluster(directory);
  AskedFolders asked(nodes);
  asked.SetAway(asked.nodes().names.back());
  const auto slice = asked.Ask(SomeQuestion(nodes));
  ASSERT_TRUE(slice.ok()) << slice.status();
  EXPECT_THAT(slice->notes, Contains(HasSubstr(absl::StrCat(
                                asked.nodes().names.back(),
                                " does not answer, so nothing goes on there: nobody listens"))));
}

TEST(SliceAcross, FailsIfTheThreadsOwnNodeDoesNotAnswer) {
  const TemporaryDirectory directory;
  const std::string nodes = SmallCluster(directory);
  AskedFolders asked(nodes);
  asked.SetAway(asked.nodes().names.front());
  EXPECT_THAT(asked.Ask(SomeQuestion(nodes)).status().message(), HasSubstr("nobody listens"));
}

uint64_t MovedBytesOf(const NearSlice& slice) {
  return slice.costs.asked_bytes + slice.costs.answered_bytes;
}

// Of a cluster that does little but ask, from its end back to its beginning: each packet is asked
// about. Plain messages moved ten times what collecting would.
TEST(SliceAcross, OfAllThatHappenedMovesAThirdOfPlainMessages) {
  const TemporaryDirectory directory;
  SimulatedShape shape{.nodes = 3, .threads = 90, .events_per_node = 20'000};
  shape.tells_hand_overs = false;
  ASSERT_TRUE(GenerateSimulatedCluster(shape, directory / "nodes").ok());
  AskedFolders asked(directory / "nodes");
  const NearSliceQuestion question = {
      .thread = "gate-0", .node = "n0000", .scope = CausalScope::kThread};
  const auto slice = asked.Ask(question);
  ASSERT_TRUE(slice.ok()) << slice.status();
  const auto plain = SliceAcross(WithoutPacking(asked.nodes()), question);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(PartsOfAsked(asked.nodes(), *slice), PartsOfAsked(asked.nodes(), *plain));
  EXPECT_LT(3 * MovedBytesOf(*slice), MovedBytesOf(*plain));
  EXPECT_LT(MovedBytesOf(*slice), 3 * slice->costs.collecting_bytes);
}

// Answers of a node that was taken over: random fields, and answers to other questions.
RC_GTEST_PROP(SliceAcross, EndsWhateverANodeAnswers, ()) {
  const TemporaryDirectory directory;
  const std::string folder = SmallCluster(directory);
  AskedFolders asked(folder);
  NearNodes nodes = WithoutPacking(asked.nodes());
  const auto honest = nodes.ask;
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  uint32_t number = seed;
  nodes.ask = [&](size_t node, const pb::NearQuestion& question) -> absl::StatusOr<pb::NearAnswer> {
    auto answer = honest(node, question);
    number = number * 1664525 + 1013904223;
    if (node != 1 || !answer.ok() || answer->has_about()) return answer;
    return testing::GarbledAnswer(*answer, number);
  };
  NearSliceQuestion question = SomeQuestion(folder);
  question.most_questions = 2000;
  const auto slice = SliceAcross(nodes, question);
  if (slice.ok()) RC_ASSERT(slice->costs.questions < 10'000U);
}

RC_GTEST_PROP(NodeAnswers, AnswersWhateverIsAsked, ()) {
  const TemporaryDirectory directory;
  const std::string folder = SmallCluster(directory);
  AskedFolders asked(folder);
  pb::NearQuestion question;
  pb::NearPartQuestion& part = *question.mutable_part();
  part.set_scope(*rc::gen::arbitrary<uint32_t>());
  part.set_edge_kinds(*rc::gen::arbitrary<uint32_t>());
  part.set_from_ns(*rc::gen::arbitrary<uint64_t>());
  part.set_most_stretches(*rc::gen::arbitrary<uint32_t>());
  for (int i = 0; i < 3; ++i) {
    pb::NearEntry& entry = *part.add_entries();
    entry.set_thread(*rc::gen::arbitrary<uint32_t>());
    entry.set_at_ns(*rc::gen::arbitrary<uint64_t>());
    entry.set_edge(*rc::gen::arbitrary<uint32_t>());
    part.add_told()->set_number(*rc::gen::arbitrary<uint32_t>());
  }
  EXPECT_NE(asked.of(0).Answer(question).answer_case(), pb::NearAnswer::ANSWER_NOT_SET);
  pb::NearQuestion sums;
  sums.mutable_sums()->set_by(*rc::gen::arbitrary<uint32_t>());
  pb::NearPart::Stretch& stretch = *sums.mutable_sums()->add_stretches();
  stretch.set_thread(*rc::gen::arbitrary<uint32_t>());
  stretch.set_from_ns(*rc::gen::arbitrary<uint64_t>());
  stretch.set_length_ns(*rc::gen::arbitrary<uint64_t>());
  EXPECT_NE(asked.of(0).Answer(sums).answer_case(), pb::NearAnswer::ANSWER_NOT_SET);
  EXPECT_TRUE(asked.of(0).Answer({}).has_error());
}

}  // namespace
}  // namespace gordian
