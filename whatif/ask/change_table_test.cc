// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/change_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The items of the first list of packaging/man/gordian-whatif.1: ".It Fl -scale Ar disk=factor".
std::vector<std::string> ItemsOfManPage() {
  std::ifstream page(GORDIAN_MAN_PAGE);
  std::vector<std::string> items;
  for (std::string line; std::getline(page, line) && line != ".El";) {
    if (line.starts_with(".It ")) items.push_back(line);
  }
  return items;
}

TEST(ChangeTable, IsWhatTheManPageTells) {
  std::vector<std::string> items;
  for (const ChangeOption& option : ChangeOptions())
    items.push_back(std::string(".It Fl -") + option.name + " Ar " + LowerCase(option.argument));
  EXPECT_THAT(ItemsOfManPage(), ElementsAreArray(items));
}

TEST(ChangeTable, HasEachOptionOnceWithASentenceOfHelp) {
  std::set<std::string> names;
  for (const ChangeOption& option : ChangeOptions()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(option.help[0]))) << option.help;
    EXPECT_NE(std::string(option.help).back(), '.') << option.help;
  }
}

TEST(ChangeTable, IsNamedAsAWholeWhereNoChangeIsAskedFor) {
  EXPECT_THAT(NameAChange(), HasSubstr("name a change: --scale, --async, "));
  EXPECT_THAT(NameAChange(), HasSubstr("--cpus or --quota"));
}

TEST(ChangeTable, NamesThreadsThatMeetEachOtherOnce) {
  const auto rows = ChangeTable();
  const auto lock = std::find_if(rows.begin(), rows.end(), [](const ChangeRow& row) {
    return std::string(row.option.name) == "lock";
  });
  ASSERT_NE(lock, rows.end());
  EXPECT_EQ(lock->words({.from_name = "A", .to_name = "B"}), "A and B never meeting at a lock");
  EXPECT_EQ(lock->words({.from_name = "A", .to_name = "A"}), "A never meeting at a lock");
}

// Without any names.
class Requests : public ::testing::Test {
 protected:
  absl::StatusOr<NamedChanges> Read(const WhatIfRequest& request) const {
    return ReadChanges({.timeline = timeline_,
                        .report = report_,
                        .vertex_of_entity = {},
                        .stacks = stacks_,
                        .code = code_},
                       request);
  }

  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
};

TEST_F(Requests, TellTheirChangesInWords) {
  const auto changes = Read({.changes = {{"cpus", "16"}}});
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.cpus.size(), 1);
  EXPECT_EQ(changes->changes.cpus[0].count, 16);
  ASSERT_EQ(changes->texts.size(), 1);
  EXPECT_EQ(changes->texts[0].kind(), "cpus");
  EXPECT_EQ(changes->texts[0].factor(), 16);
  EXPECT_EQ(changes->texts[0].text(), "16 CPUs");
}

TEST_F(Requests, OfAQuotaNameACgroupThatHasUsedItsUp) {
  pb::CpuQuota& quota = *report_.add_findings()->mutable_cpu_quota();
  quota.set_cgroup("/web.slice/shop");
  quota.set_cpus(0.5);
  for (const char* text : {"/web.slice/shop=2", "shop=2"}) {
    const auto changes = Read({.changes = {{"quota", text}}});
    ASSERT_TRUE(changes.ok()) << changes.status();
    ASSERT_EQ(changes->changes.quotas.size(), 1);
    EXPECT_EQ(changes->changes.quotas[0].cgroup, "/web.slice/shop");
    EXPECT_EQ(changes->changes.quotas[0].times, 4);
    EXPECT_EQ(changes->texts[0].text(), "a CPU quota of 2 for /web.slice/shop");
  }
  EXPECT_THAT(std::string(Read({.changes = {{"quota", "till=2"}}}).status().message()),
              HasSubstr("such are /web.slice/shop"));
  EXPECT_THAT(
      std::string(Read({.changes = {{"quota", "shop=2"}, {"quota", "shop=3"}}}).status().message()),
      HasSubstr("twice for the same cgroup"));
  for (const char* text : {"shop", "shop=", "shop=0", "shop=-1", "shop=nan", "shop=1e9", "=2"})
    EXPECT_TRUE(absl::IsInvalidArgument(Read({.changes = {{"quota", text}}}).status())) << text;
}

TEST_F(Requests, OfAQuotaAreRefusedWhereNoneIsUsedUp) {
  const auto refusal = [&] {
    return std::string(Read({.changes = {{"quota", "shop=2"}}}).status().message());
  };
  EXPECT_THAT(refusal(), HasSubstr("no cgroup with a CPU quota was recorded"));
  pb::MachineResource& quota = *report_.add_machine();
  quota.set_what("cpu_throttled");
  quota.set_name("/web.slice");
  EXPECT_THAT(refusal(), HasSubstr("quotas have /web.slice"));
}

TEST_F(Requests, AreRefusedWithoutAChangeOrWithAnUnknownOne) {
  EXPECT_THAT(std::string(Read({}).status().message()), HasSubstr("name a change"));
  EXPECT_THAT(std::string(Read({.changes = {{"magic", "B"}}}).status().message()),
              HasSubstr("no change --magic"));
}

TEST_F(Requests, AreRefusedInAnotherFormThanTheirs) {
  for (const ChangeOption& option : ChangeOptions()) {
    const auto changes = Read({.changes = {{option.name, "?"}}});
    EXPECT_FALSE(changes.ok()) << option.name;
  }
}

}  // namespace
}  // namespace gordian
