// SPDX-License-Identifier: Apache-2.0
// Recordings by a user who is not root, with exactly the rights that gordian-record(1) names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "recorder/sessions/test_directory.h"
#include "tests/program.h"
#include "tests/support/recorded_session.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uid_t kUser = 65534;
// Waits and wakes of threads, births, deaths and files, in a second at most.
constexpr char kWork[] = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i | cat > /dev/null; done";

class RightsTest : public ::testing::Test {
 protected:
  RightsTest() {
    // The sticky folder of all users is above it.
    EXPECT_EQ(chown(folder_.path().c_str(), kUser, kUser), 0);
  }

  std::string directory() const { return folder_.path() + "/run"; }

  ProgramResult Record(const std::vector<int>& capabilities,
                       const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "-o", directory()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "/bin/sh", "-c", kWork});
    return RunProgram(words, kUser, capabilities);
  }

  void ExpectContents() const {
    const absl::StatusOr<RecordedSession> recorded = LoadSession(directory());
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    EXPECT_TRUE(recorded->session.complete());
    EXPECT_GT(recorded->CountFromCpus(EventKind::kSwitch), 0u);
    EXPECT_GT(recorded->CountFromCpus(EventKind::kWake), 0u);
    EXPECT_GT(recorded->tasks.size(), 0u);
    struct stat about {};
    ASSERT_EQ(stat((directory() + "/session.pb").c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, kUser);
  }

  uint64_t Counter(const char* name) const {
    const absl::StatusOr<RecordedSession> recorded = LoadSession(directory());
    return recorded.ok() ? CounterValue(recorded->session, name) : 0;
  }

  // Functions of modules (or of the kernel) that have names.
  std::set<std::string> NamedModules() const {
    std::set<std::string> modules;
    const auto symbols = ReadSymbols(directory());
    if (!symbols.ok()) return modules;
    for (const pb::SymbolFrame& frame : symbols->frames())
      if (frame.function() != 0) modules.insert(symbols->text(static_cast<int>(frame.module())));
    return modules;
  }

  TestDirectory folder_;
};

TEST_F(RightsTest, TwoCapabilitiesRecordByEachWayToAttach) {
  for (const char* attach : {"tracepoint", "kprobe", "fentry"}) {
    const TestDirectory roots;
    const ProgramResult root = RunProgram(
        {GORDIAN_PROGRAM, "record", "--attach", attach, "-o", roots.path() + "/run", "/bin/true"});
    if (root.exit_code != 0) continue;  // this kernel cannot
    const ProgramResult result = Record({CAP_BPF, CAP_PERFMON}, {"--attach", attach});
    ASSERT_EQ(result.exit_code, 0) << attach << ": " << result.errors;
    ExpectContents();
    std::filesystem::remove_all(directory());
  }
}

TEST_F(RightsTest, MissingOnesAreToldInOneLineAndCounted) {
  const ProgramResult result = Record({CAP_BPF, CAP_PERFMON});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("lacks code and probes of other users' programs"));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 2) << result.errors;
  for (const char* name :
       {"rights_no_sys_ptrace", "rights_no_dac_read_search", "rights_no_checkpoint_restore",
        "rights_no_sys_nice", "rights_no_sys_admin"})
    EXPECT_EQ(Counter(name), 1u) << name;
}

TEST_F(RightsTest, TheUsersOwnProgramHasNamesOfCode) {
  const ProgramResult result = Record({CAP_BPF, CAP_PERFMON}, {"--stacks", "all"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::set<std::string> modules = NamedModules();
  EXPECT_TRUE(std::any_of(modules.begin(), modules.end(), [](const std::string& module) {
    return module.find("libc.so") != module.npos;
  })) << ::testing::PrintToString(modules);
}

TEST_F(RightsTest, TheSyslogRightNamesKernelCode) {
  ASSERT_EQ(Record({CAP_BPF, CAP_PERFMON, CAP_SYSLOG}, {"--stacks", "all"}).exit_code, 0);
  EXPECT_THAT(NamedModules(), ::testing::Contains("[kernel]"));
  EXPECT_EQ(Counter("rights_no_syslog"), 0u);
}

TEST_F(RightsTest, NothingIsToldToWhomNothingIsMissing) {
  const ProgramResult result =
      Record({CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYSLOG, CAP_DAC_READ_SEARCH,
              CAP_CHECKPOINT_RESTORE, CAP_SYS_NICE, CAP_SYS_ADMIN});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("lacks")));
  ExpectContents();
}

TEST_F(RightsTest, OneCapabilityLessRecordsNothingAndTellsTheWayOut) {
  for (const std::vector<int>& capabilities :
       {std::vector<int>{}, {CAP_BPF}, {CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYSLOG}}) {
    const ProgramResult result = Record(capabilities);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.output, IsEmpty());
    EXPECT_THAT(result.errors, HasSubstr("run it with sudo"));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(directory()));
  }
}

}  // namespace
}  // namespace gordian::testing
