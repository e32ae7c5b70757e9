// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <string>
#include <vector>

#include "recorder/sources/fixture_tree.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kAll = 0x1ffffffffff;

Rights With(const std::vector<int>& capabilities) {
  Rights rights;
  for (const int capability : capabilities) rights.capabilities |= uint64_t{1} << capability;
  return rights;
}

std::vector<std::string> MissingNames(const Rights& rights) {
  std::vector<std::string> names;
  for (const MissingRight& missing : MissingRights(rights)) names.emplace_back(missing.capability);
  return names;
}

TEST(Rights, TwoCapabilitiesAreEnoughToRecord) {
  EXPECT_TRUE(CheckMayRecord(With({CAP_BPF, CAP_PERFMON})).ok());
  EXPECT_TRUE(CheckMayRecord(With({CAP_SYS_ADMIN})).ok());
  EXPECT_FALSE(CheckMayRecord(With({CAP_BPF})).ok());
  EXPECT_FALSE(CheckMayRecord(With({CAP_PERFMON, CAP_SYS_PTRACE})).ok());
}

TEST(Rights, AUserIsToldTheWaysOut) {
  const std::string message(CheckMayRecord(Rights{}).message());
  EXPECT_THAT(message, HasSubstr("run it with sudo"));
  EXPECT_THAT(message, HasSubstr("CAP_BPF and CAP_PERFMON"));
  EXPECT_THAT(message, HasSubstr("gordian start"));
}

TEST(Rights, RootOfAContainerIsNotToldToBecomeRoot) {
  Rights rights = With({CAP_CHOWN});
  rights.is_root = true;
  const std::string message(CheckMayRecord(rights).message());
  EXPECT_THAT(message, HasSubstr("--cap-add=BPF"));
  EXPECT_THAT(message, Not(HasSubstr("sudo")));
}

TEST(Rights, ThoseOfAnotherUserNamespaceAreNone) {
  Rights rights{.capabilities = kAll, .is_root = true, .in_first_user_namespace = false};
  EXPECT_THAT(std::string(CheckMayRecord(rights).message()), HasSubstr("user namespace"));
}

TEST(Rights, RootMissesNothing) {
  EXPECT_THAT(MissingNames({.capabilities = kAll}), IsEmpty());
  EXPECT_EQ(TextOfMissing({}), "");
}

TEST(Rights, WhatIsMissingIsNamedInOneLine) {
  EXPECT_THAT(MissingNames(With({CAP_BPF, CAP_PERFMON})),
              ElementsAre("CAP_SYS_PTRACE", "CAP_SYSLOG", "CAP_DAC_READ_SEARCH",
                          "CAP_CHECKPOINT_RESTORE", "CAP_SYS_NICE", "CAP_SYS_ADMIN"));
  const std::string text = TextOfMissing(MissingRights(
      With({CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SYS_NICE, CAP_SYSLOG})));
  EXPECT_THAT(text, HasSubstr("lacks code of deleted programs and containers'"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
}

TEST(Rights, OpenKernelAddressesNeedNoRight) {
  Rights rights = With({CAP_BPF, CAP_PERFMON});
  rights.kernel_addresses_open = true;
  EXPECT_THAT(MissingNames(rights), Not(testing::Contains("CAP_SYSLOG")));
}

TEST(Rights, EveryMissingOneHasItsCounter) {
  for (const MissingRight& missing : MissingRights(Rights{}))
    EXPECT_NE(FindCounter(missing.counter), nullptr) << missing.counter;
}

TEST(Rights, AreReadFromProc) {
  const FixtureTree tree;
  tree.Write("proc/self/status",
             "Name:\tgordian\nCapPrm:\t0000000000000000\nCapEff:\t000000c000000000\n");
  tree.Write("proc/self/uid_map", "         0          0 4294967295\n");
  tree.Write("proc/sys/kernel/kptr_restrict", "0\n");
  tree.Write("proc/sys/kernel/perf_event_paranoid", "-1\n");
  const Rights rights = ReadRights(tree.paths());
  EXPECT_EQ(rights.capabilities, With({CAP_BPF, CAP_PERFMON}).capabilities);
  EXPECT_TRUE(rights.in_first_user_namespace);
  EXPECT_TRUE(rights.kernel_addresses_open);
}

TEST(Rights, AMapOfUsersTellsAnotherNamespace) {
  const FixtureTree tree;
  tree.Write("proc/self/uid_map", "         0       1000          1\n");
  EXPECT_FALSE(ReadRights(tree.paths()).in_first_user_namespace);
}

TEST(Rights, AnUnreadableProcGivesNone) {
  const FixtureTree tree;
  const Rights rights = ReadRights(tree.paths());
  EXPECT_EQ(rights.capabilities, 0u);
  EXPECT_FALSE(rights.kernel_addresses_open);
}

}  // namespace
}  // namespace gordian
