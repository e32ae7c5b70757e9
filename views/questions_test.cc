// SPDX-License-Identifier: Apache-2.0
#include "views/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "query/test_recording.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PickedQuestions : public ::testing::Test {
 protected:
  std::vector<QuestionGroup> On(const PickedThing& picked) const {
    return QuestionsOn(figure_.analysis(), picked);
  }
  uint32_t Vertex(const std::string& name) const {
    for (const pb::ReportVertex& vertex : figure_.analysis().report().vertices())
      if (vertex.name() == name) return vertex.id();
    ADD_FAILURE() << name;
    return 0;
  }
  std::vector<std::string> Changes(const QuestionGroup& group) const {
    std::vector<std::string> changes;
    for (const FixQuestion& question : group.found.questions) changes.push_back(question.change);
    return changes;
  }

  QueryRecording figure_ = QueryRecording("figure1.txt");
};

TEST_F(PickedQuestions, AreAboutThePickedWaitFirst) {
  const auto groups =
      On({.kind = PickedThing::Kind::kWait, .id = Vertex("B"), .whom = Vertex("vda")});
  EXPECT_EQ(groups[0].of, "selected");
  EXPECT_THAT(groups[0].title, HasSubstr("B waits for the disk vda: 10 ns in "));
  EXPECT_THAT(Changes(groups[0]), Contains("--async 'B->disk vda'"));
  EXPECT_EQ(groups.back().of, "machine");
}

TEST_F(PickedQuestions, WithNothingPickedAreThoseOfTheFindings) {
  const auto groups = On({});
  ASSERT_GE(groups.size(), 2u);
  EXPECT_EQ(groups[0].of, "finding");
  EXPECT_EQ(groups[0].finding, 1u);
  EXPECT_THAT(Changes(groups[0]), Not(IsEmpty()));
}

TEST_F(PickedQuestions, OfAThreadAreThoseOfItsVertex) {
  const auto& entities = figure_.analysis().timeline().entities();
  for (EntityId id = 0; id < entities.size(); ++id) {
    if (entities[id].name != "A") continue;
    const auto groups = On({.kind = PickedThing::Kind::kEntity, .id = id});
    EXPECT_EQ(groups[0].title, "A");
    EXPECT_THAT(Changes(groups[0]), Contains("--run A=0.5"));
  }
}

// Each can be asked as it is written.
TEST_F(PickedQuestions, AreUnderstoodByWhatAnswersThem) {
  for (const pb::ReportEdge& edge : figure_.analysis().report().edges()) {
    const auto groups =
        On({.kind = PickedThing::Kind::kWait, .id = edge.from(), .whom = edge.to()});
    for (const FixQuestion& question : groups[0].found.questions) {
      const auto answer = figure_.analysis().Ask(question.request);
      EXPECT_FALSE(absl::IsInvalidArgument(answer.status()) || absl::IsNotFound(answer.status()))
          << question.change << ": " << answer.status();
    }
  }
}

TEST_F(PickedQuestions, AboutWhatIsNotThereSaySo) {
  constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();
  for (const PickedThing::Kind kind :
       {PickedThing::Kind::kWait, PickedThing::Kind::kVertex, PickedThing::Kind::kEntity}) {
    for (const uint64_t id : {uint64_t{1000}, uint64_t{UINT32_MAX}, kLargest}) {
      const auto groups = On({.kind = kind, .id = id, .whom = id});
      EXPECT_THAT(groups[0].found.questions, IsEmpty());
      EXPECT_THAT(groups[0].found.none_because, HasSubstr("no such"));
    }
  }
}

}  // namespace
}  // namespace gordian
