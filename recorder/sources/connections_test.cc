// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Queues : public ::testing::Test {
 protected:
  pb::ResourceBlock SampleAt(uint64_t now_ns) {
    pb::ResourceBlock block;
    ResourceSink sink(now_ns, block);
    connections_.Sample(sink, missed_);
    return block;
  }
  static std::map<std::string, double> Values(const pb::ResourceBlock& block) {
    std::map<std::string, double> values;
    for (const pb::ResourceSample& sample : block.samples())
      values[block.resources(static_cast<int>(sample.resource())).name()] = sample.value();
    return values;
  }

  FixtureTree tree_;
  std::vector<ListeningSocket> sockets_;
  Connections connections_{tree_.paths(), [this] { return sockets_; }};
  uint64_t missed_ = 0;
};

TEST_F(Queues, AreSampledFromTheirFirstConnection) {
  sockets_ = {{"0.0.0.0:80", 0, 128, 5}};
  SampleAt(kNsPerSecond);
  EXPECT_THAT(SampleAt(2 * kNsPerSecond).samples(), IsEmpty());
  sockets_[0].waiting = 3;
  const pb::ResourceBlock block = SampleAt(3 * kNsPerSecond);
  EXPECT_THAT(Values(block), ElementsAre(Pair("0.0.0.0:80", 3)));
  EXPECT_EQ(block.resources(0).capacity(), 128);
  EXPECT_THAT(block.resources(0).pids(), IsEmpty());
  sockets_[0].waiting = 0;
  EXPECT_THAT(Values(SampleAt(4 * kNsPerSecond)), ElementsAre(Pair("0.0.0.0:80", 0)));
}

TEST_F(Queues, ThatAreFullHaveTheirOwners) {
  for (const char* pid : {"7", "12"}) {
    tree_.MakeFolder(std::string("proc/") + pid + "/fd");
    std::filesystem::create_symlink("socket:[55]",
                                    tree_.Path(std::string("proc/") + pid + "/fd/3"));
  }
  tree_.MakeFolder("proc/9/fd");
  std::filesystem::create_symlink("socket:[56]", tree_.Path("proc/9/fd/3"));
  sockets_ = {{"[::]:80", 5, 4, 55}};
  SampleAt(kNsPerSecond);
  const pb::ResourceBlock block = SampleAt(2 * kNsPerSecond);
  EXPECT_THAT(Values(block), ElementsAre(Pair("[::]:80", 4)));
  EXPECT_THAT(block.resources(0).pids(), ::testing::UnorderedElementsAre(7, 12));
}

TEST_F(Queues, OfOneAddressAreToldByTheFullest) {
  sockets_ = {{"0.0.0.0:80", 1, 4, 5}, {"0.0.0.0:80", 3, 4, 6}};
  SampleAt(kNsPerSecond);
  EXPECT_THAT(Values(SampleAt(2 * kNsPerSecond)), ElementsAre(Pair("0.0.0.0:80", 3)));
}

TEST_F(Queues, ThatOverflowAreCountedByTheKernel) {
  const auto write = [&](int overflows) {
    tree_.Write("proc/net/netstat",
                "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 " +
                    std::to_string(overflows) + " 9\nIpExt: A\nIpExt: 3\n");
  };
  write(10);
  SampleAt(kNsPerSecond);
  write(30);
  EXPECT_THAT(Values(SampleAt(3 * kNsPerSecond)), ElementsAre(Pair("tcp", 10)));
}

TEST_F(Queues, AreBesideTheTableOfTrackedConnections) {
  tree_.Write("proc/sys/net/netfilter/nf_conntrack_count", "99\n");
  tree_.Write("proc/sys/net/netfilter/nf_conntrack_max", "100\n");
  SampleAt(kNsPerSecond);
  const pb::ResourceBlock block = SampleAt(2 * kNsPerSecond);
  EXPECT_THAT(Values(block), ElementsAre(Pair("nf_conntrack", 99)));
  EXPECT_EQ(block.resources(0).capacity(), 100);
}

}  // namespace
}  // namespace gordian
