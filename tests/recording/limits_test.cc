// SPDX-License-Identifier: Apache-2.0
// Programs that each have one trouble with one resource, recorded and analyzed: the report names
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "tests/program.h"
#include "tests/recording/limited_group.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr double kTroubleAtLeast = 0.25;  // of the CPU; a fifth is told

// Runs a trouble until it is there, and records it. Nothing if it cannot be had on this machine:
// `why_not` is its message.
class RecordedTrouble {
 public:
  // `command` is for sh, with $TROUBLE for the program.
  explicit RecordedTrouble(const std::string& command, const AnalysisOptions& options = {})
      : trouble_({"/bin/sh", "-c",
                  absl::StrCat("TROUBLE=", TROUBLE_PROGRAM, "; ", command, " >", dir_ / "ready")},
                 {}, dir_ / "errors") {
    std::string word;
    while (word != "ready" && !trouble_.Ended()) {
      std::this_thread::yield();
      std::ifstream(dir_ / "ready") >> word;
    }
    if (trouble_.Ended()) return;
    const ProgramResult recorded =
        RunProgram({GORDIAN_PROGRAM, "record", "-o", dir_ / "trace", "--duration", "4s", "--pid",
                    std::to_string(trouble_.pid())});
    EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
    trouble_.End(SIGKILL);
    auto analysis = Analysis::Run(dir_ / "trace", options);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    if (analysis.ok()) report_ = analysis->report();
  }

  const std::optional<pb::Report>& report() const { return report_; }
  std::string why_not() const {
    std::ifstream file(dir_ / "errors");
    std::string line;
    std::getline(file, line);
    return line;
  }

 private:
  const TempDir dir_;
  BackgroundProgram trouble_;
  std::optional<pb::Report> report_;
};

const pb::MachineResource* Find(const pb::Report& report, const std::string& what,
                                const std::string& name) {
  for (const pb::MachineResource& resource : report.machine()) {
    if (resource.what() == what && resource.name() == name) return &resource;
  }
  return nullptr;
}

// The first that `is_it`; null if there is none.
template <typename Condition>
const pb::Finding* Find(const pb::Report& report, Condition is_it) {
  for (const pb::Finding& finding : report.findings()) {
    if (is_it(finding)) return &finding;
  }
  return nullptr;
}

TEST(MemoryLimit, IsNamedWhereItMakesAProgramReadFromTheDiskAgain) {
  const LimitedGroup group({"memory", "/memory.limit_in_bytes", "33554432"},
                           {"memory", "/memory.max", "33554432"});
  if (group.empty()) GTEST_SKIP() << "no cgroup with a memory limit can be made here";
  const TempDir files;
  const RecordedTrouble trouble(
      absl::StrCat(group.Enter(), "exec $TROUBLE memory-limit ", files / "", " 134217728"));
  ASSERT_TRUE(trouble.report()) << trouble.why_not();
  // On a busy machine the program may wait for CPUs even longer.
  const pb::Finding* told =
      Find(*trouble.report(), [](const pb::Finding& one) { return one.has_memory_limit(); });
  ASSERT_NE(told, nullptr) << trouble.report()->verdict();
  EXPECT_THAT(told->title(), HasSubstr("is at its memory limit of 32 MiB"));
  EXPECT_THAT(group.folder(), EndsWith(told->memory_limit().cgroup()));
  EXPECT_EQ(told->memory_limit().limit_bytes(), 32 << 20);
  EXPECT_GT(told->memory_limit().read_again_bytes(), 0);
}

// A volume of a cloud that has given what was paid for answers late; the kernel's throttle does the
// same.
TEST(DiskCapacity, IsNamedWhereADiskGivesNoMoreThanAPersonTold) {
  const TempDir files;
  struct stat status {};
  ASSERT_EQ(stat((files / "").c_str(), &status), 0);
  const std::string device = absl::StrCat(major(status.st_dev), ":", minor(status.st_dev));
  const LimitedGroup group({"blkio", "/blkio.throttle.read_iops_device", device + " 400"},
                           {"io", "/io.max", device + " riops=400"});
  if (group.empty()) GTEST_SKIP() << "no cgroup can limit the disk " << device << " here";
  std::error_code error;
  const std::string disk =
      std::filesystem::read_symlink("/sys/dev/block/" + device, error).filename().string();
  const RecordedTrouble trouble(absl::StrCat(group.Enter(), "exec $TROUBLE slow-disk ", files / ""),
                                {.capacities = {.disks = {disk + "=400IOPS"}}});
  ASSERT_TRUE(trouble.report()) << trouble.why_not();
  const pb::Finding* told =
      Find(*trouble.report(), [](const pb::Finding& one) { return one.has_capacity(); });
  ASSERT_NE(told, nullptr) << trouble.report()->verdict();
  EXPECT_THAT(told->title(), HasSubstr(disk + " is at its limit of 400 operations a second"));
  EXPECT_EQ(told->natural_fixes_size(), 0);
}

TEST(Interrupts, AreNamedWhereTheyTakeTheCpuOfAProgram) {
  const RecordedTrouble trouble("exec $TROUBLE interrupts");
  if (!trouble.report()) GTEST_SKIP() << trouble.why_not();
  const pb::MachineResource* load = Find(*trouble.report(), "softirq", "cpu1/net_rx");
  if (load == nullptr || load->mean() < kTroubleAtLeast)
    GTEST_SKIP() << "others keep the CPUs from the interrupts";
  const pb::Finding* told =
      Find(*trouble.report(), [](const pb::Finding& one) { return one.has_interrupts(); });
  ASSERT_NE(told, nullptr) << trouble.report()->verdict();
  EXPECT_EQ(told->interrupts().cpu(), 1u);
  EXPECT_EQ(told->interrupts().most(), "softirq net_rx");
  EXPECT_THAT(told->why(0), HasSubstr("CPU 1 spends"));
}

TEST(AcceptQueue, IsNamedWhereConnectionsWaitBeforeAServer) {
  const RecordedTrouble trouble("exec $TROUBLE accept-queue");
  ASSERT_TRUE(trouble.report()) << trouble.why_not();
  ASSERT_GT(trouble.report()->findings_size(), 0);
  const pb::Finding& first = trouble.report()->findings(0);
  EXPECT_THAT(first.title(), HasSubstr("the accept queue of 127.0.0.1:"));
  EXPECT_EQ(first.accept_queue().backlog(), 4);
  EXPECT_GT(first.accept_queue().turned_away(), 0);
}

TEST(OpenFiles, AreToldWhereAProcessIsNearItsLimit) {
  const RecordedTrouble trouble("exec $TROUBLE open-files");
  ASSERT_TRUE(trouble.report()) << trouble.why_not();
  const pb::MachineResource* files = nullptr;
  for (const pb::MachineResource& resource : trouble.report()->machine()) {
    const bool is_it = resource.what() == "open_files" && resource.name().starts_with("trouble ");
    if (is_it) files = &resource;
  }
  ASSERT_NE(files, nullptr);
  EXPECT_EQ(files->capacity(), 256);
  EXPECT_GE(files->mean(), 0.9 * 256);
  EXPECT_NE(Find(*trouble.report(), "open_files", "machine"), nullptr);
}

}  // namespace
}  // namespace gordian::testing
