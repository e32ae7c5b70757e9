// A program in a cgroup with a CPU quota, recorded and analyzed: the report names the quota.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "recorder/sources/cgroups.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// A group that may use a fifth of a CPU; empty() if this machine lets none be made.
class LimitedGroup {
 public:
  LimitedGroup() {
    const std::string name = absl::StrCat("/gordian-quota-", getpid());
    if (const auto mount = FindCgroup1CpuMount({})) {
      Make(*mount + name, "/cpu.cfs_quota_us", "20000");
    } else if (const auto mount2 = FindCgroup2Mount({})) {
      Write(*mount2 + "/cgroup.subtree_control", "+cpu");
      Make(*mount2 + name, "/cpu.max", "20000 100000");
    }
  }
  ~LimitedGroup() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  LimitedGroup(const LimitedGroup&) = delete;
  LimitedGroup& operator=(const LimitedGroup&) = delete;

  bool empty() const { return folder_.empty(); }
  const std::string& folder() const { return folder_; }

 private:
  void Make(const std::string& folder, const std::string& file, const std::string& quota) {
    if (mkdir(folder.c_str(), 0755) != 0) return;
    if (Write(folder + file, quota)) {
      folder_ = folder;
    } else {
      rmdir(folder.c_str());
    }
  }
  std::string folder_;
};

TEST(CpuQuota, IsNamedAsTheReasonOfStarvation) {
  const LimitedGroup group;
  // In a container /sys/fs/cgroup may be read-only, and a kernel may lack the controller: there is
  // no quota then to be found. Reading quotas is tested without one (cpu_quotas_test).
  if (group.empty()) GTEST_SKIP() << "no cgroup with a CPU quota can be made here";
  const TempDir dir;
  BackgroundProgram busy(
      {"/bin/sh", "-c",
       absl::StrCat("echo $$ >", group.folder(), "/cgroup.procs; while :; do :; done")},
      {}, dir / "errors");
  const std::string pid = std::to_string(busy.pid());
  const ProgramResult recorded = RunProgram(
      {GORDIAN_PROGRAM, "record", "-o", dir / "trace", "--duration", "3s", "--pid", pid});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
  busy.End(SIGKILL);

  const auto analysis = Analysis::Run(dir / "trace", {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const pb::Report& report = analysis->report();
  ASSERT_GT(report.findings_size(), 0);
  const pb::Finding& first = report.findings(0);
  EXPECT_EQ(first.kind(), "starvation") << report.verdict();
  EXPECT_THAT(group.folder(), EndsWith(first.cpu_quota().cgroup()));
  EXPECT_DOUBLE_EQ(first.cpu_quota().cpus(), 0.2);
  EXPECT_GT(first.cpu_quota().throttled_s(), 0);
  EXPECT_EQ(first.title(), report.verdict());
  EXPECT_THAT(first.title(), HasSubstr("0.2 CPUs) is used up."));
  EXPECT_THAT(first.advice(0), HasSubstr("Raise that quota"));
}

}  // namespace
}  // namespace gordian::testing
