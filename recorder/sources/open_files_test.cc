// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/time_units.h"
#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class FilesOfProcesses : public ::testing::Test {
 protected:
  void Process(uint32_t pid, const std::string& comm, size_t files, const std::string& limit) {
    const std::string folder = "proc/" + std::to_string(pid);
    tree_.Write(folder + "/comm", comm + "\n");
    tree_.Write(folder + "/limits", "Limit  Soft Limit  Hard Limit  Units\nMax open files   " +
                                        limit + "   4096   files\n");
    for (size_t i = 0; i < files; ++i) tree_.Write(folder + "/fd/" + std::to_string(i), "");
  }
  std::map<std::string, std::pair<double, double>> SampleTwice() {
    OpenFiles files(tree_.paths());
    pb::ResourceBlock block;
    for (const uint64_t second : {1, 2}) {
      ResourceSink sink(second * kNsPerSecond, block);
      files.Sample(sink, missed_);
    }
    std::map<std::string, std::pair<double, double>> values;
    for (const pb::ResourceSample& sample : block.samples()) {
      const pb::Resource& resource = block.resources(static_cast<int>(sample.resource()));
      values[resource.name()] = {sample.value(), resource.capacity()};
    }
    return values;
  }

  FixtureTree tree_;
  uint64_t missed_ = 0;
};

TEST_F(FilesOfProcesses, AreSampledWhereTheyAreNearTheirLimit) {
  Process(7, "server", 200, "256");
  Process(8, "idle", 3, "256");
  Process(9, "roomy", 200, "1048576");
  Process(10, "free", 200, "unlimited");
  EXPECT_THAT(SampleTwice(), ElementsAre(Pair("server 7", Pair(200, 256))));
}

TEST_F(FilesOfProcesses, AreBesideThoseOfTheMachine) {
  tree_.Write("proc/sys/fs/file-nr", "900\t0\t1000\n");
  EXPECT_THAT(SampleTwice(), ElementsAre(Pair("machine", Pair(900, 1000))));
  EXPECT_EQ(missed_, 0u);
}

TEST_F(FilesOfProcesses, ThatMakeNoSenseAreCounted) {
  tree_.Write("proc/sys/fs/file-nr", "many\n");
  EXPECT_THAT(SampleTwice(), IsEmpty());
  EXPECT_EQ(missed_, 1u);
}

}  // namespace
}  // namespace gordian
