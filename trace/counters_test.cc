// SPDX-License-Identifier: Apache-2.0
#include "trace/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

TEST(Counters, HaveDistinctNamesAMeaningAndAdvice) {
  std::set<std::string_view> names;
  for (const CounterDefinition& definition : CounterDefinitions()) {
    EXPECT_TRUE(names.insert(definition.name).second) << definition.name << " is there twice";
    EXPECT_FALSE(definition.meaning.empty()) << definition.name;
    EXPECT_FALSE(definition.advice.empty()) << definition.name;
    EXPECT_EQ(FindCounter(definition.name), &definition);
  }
}

TEST(Counters, TellLossOfEveryKindOfRecordFromTheKernel) {
  for (int kind = 1; kind < kEventKinds; ++kind) {
    const std::string name = EventKindName(static_cast<EventKind>(kind));
    // The recorder tells losses, the program itself tells probes: neither comes from the kernel
    // side.
    if (name == "loss" || name == "probe") continue;
    EXPECT_NE(FindCounter(absl::StrCat("records_lost_", name)), nullptr) << name;
    EXPECT_NE(FindCounter(absl::StrCat("records_produced_", name)), nullptr) << name;
    EXPECT_NE(FindCounter(absl::StrCat("records_left_out_", name)), nullptr) << name;
  }
}

TEST(Counters, AddUpAndAreSetInASession) {
  pb::Session session;
  EXPECT_EQ(CounterValue(session, "torn_tails"), 0u);
  AddCounter(session, "torn_tails", 2);
  AddCounter(session, "torn_tails", 3);
  SetCounter(session, "corrupt_blocks", 7);
  EXPECT_EQ(CounterValue(session, "torn_tails"), 5u);
  SetCounter(session, "torn_tails", 1);
  EXPECT_EQ(CounterValue(session, "torn_tails"), 1u);
  EXPECT_EQ(CounterValue(session, "corrupt_blocks"), 7u);
  EXPECT_EQ(session.counters_size(), 2);
}

TEST(CountersDeathTest, RefuseANameThatIsNotDefined) {
  pb::Session session;
  EXPECT_DEATH(AddCounter(session, "no_such_counter", 1), "no_such_counter is not defined");
}

}  // namespace
}  // namespace gordian
