// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cgroup_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "base/time_units.h"
#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr uint64_t kMiB = 1 << 20;

class MemoryOfCgroups : public ::testing::Test {
 protected:
  void MountVersion2() {
    tree_.Write("proc/self/mountinfo",
                "30 1 0:26 / " + tree_.Path("v2") + " rw - cgroup2 cgroup2 rw\n");
  }
  void MountVersion1() {
    tree_.Write("proc/self/mountinfo",
                "31 1 0:27 / " + tree_.Path("v1") + " rw - cgroup cgroup rw,memory\n");
  }
  void Group2(const std::string& path, const std::string& max, uint64_t times, uint64_t refaults) {
    const std::string folder = "v2/" + path;
    tree_.Write(folder + "/memory.max", max + "\n");
    tree_.Write(folder + "/memory.high", "max\n");
    tree_.Write(folder + "/memory.current", std::to_string(60 * kMiB) + "\n");
    tree_.Write(folder + "/memory.events.local",
                "low 0\nhigh 1\nmax " + std::to_string(times) + "\noom 0\noom_kill 2\n");
    tree_.Write(folder + "/memory.stat",
                "anon 5\nworkingset_refault_anon 0\n"
                "workingset_refault_file " +
                    std::to_string(refaults));
    tree_.Write(folder + "/cgroup.procs", "7\n9\n");
  }
  pb::ResourceBlock SampleAt(CgroupMemory& memory, uint64_t now_ns) {
    pb::ResourceBlock block;
    ResourceSink sink(now_ns, block);
    memory.Sample(sink, missed_);
    return block;
  }
  static std::map<std::string, double> Values(const pb::ResourceBlock& block) {
    std::map<std::string, double> values;
    for (const pb::ResourceSample& sample : block.samples()) {
      const pb::Resource& resource = block.resources(static_cast<int>(sample.resource()));
      values[pb::ResourceKind_Name(resource.kind()).substr(16) + " " + resource.name()] =
          sample.value();
    }
    return values;
  }

  FixtureTree tree_;
  uint64_t missed_ = 0;
};

TEST_F(MemoryOfCgroups, TellsUseAndHowOftenTheLimitWasMetAndWhatWasReadAgain) {
  MountVersion2();
  Group2("pod/app", std::to_string(64 * kMiB), 10, 100);
  CgroupMemory memory(tree_.paths());
  EXPECT_THAT(SampleAt(memory, kNsPerSecond).samples(), IsEmpty());
  Group2("pod/app", std::to_string(64 * kMiB), 30, 300);
  const pb::ResourceBlock block = SampleAt(memory, 3 * kNsPerSecond);
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_THAT(
      Values(block),
      ElementsAre(Pair("AT_LIMIT /pod/app", 10), Pair("MEMORY /pod/app", 60 * kMiB),
                  Pair("OUT_OF_MEMORY /pod/app", 0), Pair("READ_AGAIN /pod/app", 100 * page)));
  for (const pb::Resource& resource : block.resources()) {
    if (resource.kind() == pb::RESOURCE_CGROUP_MEMORY) {
      EXPECT_EQ(resource.capacity(), 64 * kMiB);
    } else if (resource.kind() == pb::RESOURCE_CGROUP_AT_LIMIT) {
      EXPECT_THAT(resource.pids(), ElementsAre(7, 9));
    }
  }
  EXPECT_EQ(missed_, 0u);
}

TEST_F(MemoryOfCgroups, ReadsTheLargeFileOnlyWhenTheLimitWasMet) {
  MountVersion2();
  Group2("app", std::to_string(64 * kMiB), 10, 100);
  CgroupMemory memory(tree_.paths());
  SampleAt(memory, kNsPerSecond);
  Group2("app", std::to_string(64 * kMiB), 10, 300);
  EXPECT_THAT(Values(SampleAt(memory, 2 * kNsPerSecond)),
              ElementsAre(Pair("AT_LIMIT /app", 0), Pair("MEMORY /app", 60 * kMiB)));
}

TEST_F(MemoryOfCgroups, WithoutALimitIsNotSampled) {
  MountVersion2();
  Group2("free", "max", 0, 0);
  Group2("odd", "-3", 0, 0);
  CgroupMemory memory(tree_.paths());
  SampleAt(memory, kNsPerSecond);
  EXPECT_THAT(SampleAt(memory, 2 * kNsPerSecond).samples(), IsEmpty());
}

TEST_F(MemoryOfCgroups, OfVersion1IsReadToo) {
  MountVersion1();
  const auto write = [&](uint64_t times, uint64_t refaults) {
    tree_.Write("v1/box/memory.limit_in_bytes", "1048576\n");
    tree_.Write("v1/box/memory.usage_in_bytes", "1000000\n");
    tree_.Write("v1/box/memory.failcnt", std::to_string(times));
    tree_.Write("v1/box/memory.stat", "workingset_refault_file 9\ntotal_workingset_refault_file " +
                                          std::to_string(refaults));
    tree_.Write("v1/box/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
    tree_.Write("v1/free/memory.limit_in_bytes", "9223372036854771712\n");
  };
  write(0, 0);
  CgroupMemory memory(tree_.paths());
  SampleAt(memory, kNsPerSecond);
  write(5, 2);
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_THAT(Values(SampleAt(memory, 2 * kNsPerSecond)),
              ElementsAre(Pair("AT_LIMIT /box", 5), Pair("MEMORY /box", 1e6),
                          Pair("OUT_OF_MEMORY /box", 0), Pair("READ_AGAIN /box", 2 * page)));
}

TEST_F(MemoryOfCgroups, OfAGroupThatGoesIsNotMissed) {
  MountVersion2();
  Group2("app", std::to_string(64 * kMiB), 10, 100);
  CgroupMemory memory(tree_.paths());
  SampleAt(memory, kNsPerSecond);
  tree_.Remove("v2/app");
  EXPECT_THAT(SampleAt(memory, 2 * kNsPerSecond).samples(), IsEmpty());
  EXPECT_EQ(missed_, 0u);
}

}  // namespace
}  // namespace gordian
