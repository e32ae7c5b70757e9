// SPDX-License-Identifier: Apache-2.0
#include "analysis/capacities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LinkSpeeds, AreBitsPerSecondWithDecimalUnits) {
  const auto bits = [](std::string_view text) {
    const auto link = ParseLinkSpeed(text);
    return link.ok() ? link->bits_per_second : 0;
  };
  EXPECT_EQ(bits("eth0=1G"), 1'000'000'000u);
  EXPECT_EQ(bits("eth0=2.5Gbit/s"), 2'500'000'000u);
  EXPECT_EQ(bits("eth0=100Mbps"), 100'000'000u);
  EXPECT_EQ(bits("eth0=64k"), 64'000u);
  EXPECT_EQ(bits("eth0=9600"), 9'600u);
  EXPECT_EQ(ParseLinkSpeed("a=b=1G")->interface, "a=b");
  for (const char* wrong : {"", "eth0", "=1G", "eth0=", "eth0=G", "eth0=-1G", "eth0=0", "eth0=nan",
                            "eth0=1e99", "eth0=1X", "eth0=0.1"})
    EXPECT_FALSE(ParseLinkSpeed(wrong).ok()) << wrong;
}

TEST(DiskCapacities, AreBytesAndOperationsPerSecondOrOneOfBoth) {
  const auto both = ParseDiskCapacity("nvme0n1=500MB/s,20kIOPS");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->disk, "nvme0n1");
  EXPECT_EQ(both->capacity.bytes_per_second, 500e6);
  EXPECT_EQ(both->capacity.operations_per_second, 20e3);
  const auto reversed = ParseDiskCapacity("vda=3000IOPS, 1.5GiB/s");
  ASSERT_TRUE(reversed.ok()) << reversed.status();
  EXPECT_EQ(reversed->capacity.bytes_per_second, 1.5 * (1 << 30));
  EXPECT_EQ(reversed->capacity.operations_per_second, 3000);
  EXPECT_EQ(ParseDiskCapacity("vda=100MB/s")->capacity.operations_per_second, 0);
  for (const char* wrong :
       {"", "vda", "=5MB/s", "vda=", "vda=5", "vda=5MB", "vda=MB/s", "vda=-5MB/s", "vda=5kiIOPS",
        "vda=5MB/s,6MB/s", "vda=5MB/s,", "vda=0IOPS", "vda=nanIOPS"})
    EXPECT_FALSE(ParseDiskCapacity(wrong).ok()) << wrong;
}

TEST(Capacities, OfLinksAreBytesInTheMachinesTable) {
  const auto told = ParseCapacities({.links = {"eth0=1G"}, .disks = {"vda=1kIOPS"}});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->link_bytes_per_second.at("eth0"), 125e6);
  EXPECT_EQ(told->disks.at("vda").operations_per_second, 1000);
}

TEST(Capacities, OfAFileAreALineEach) {
  const TemporaryDirectory directory;
  const std::string path = directory / "capacities";
  const auto read = [&](const std::string& text, CapacityOptions& options) {
    std::ofstream(path, std::ios::trunc) << text;
    return ReadCapacityFile(path, options);
  };
  CapacityOptions options;
  const absl::Status status = read(
      "# of our cloud\n\n  link eth0=1G\ndisk  vda=500MB/s, 20kIOPS # as paid for\r\n", options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(options.links, ElementsAre("eth0=1G"));
  EXPECT_THAT(options.disks, ElementsAre("vda=500MB/s, 20kIOPS"));
  EXPECT_THAT(read("link eth0=1G\nlink eth1\n", options).message(), HasSubstr("line 2: 'eth1'"));
  EXPECT_THAT(read("tape st0=1MB/s\n", options).message(), HasSubstr("line 1: give link"));
}

class LinkSpeedsOfARecording : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteScenario(ParseScenario("end 1000\nthread 1 A R\nnic 2 veth0\nnic 3 lo loopback\n"
                                "0 0 switch 0 1\n100 0 send 1 2 5000\n---\n"),
                  directory_ / "session", 1000);
    session_ = *SessionReader::Open(directory_ / "session");
    timeline_ = *LoadTimeline(*session_);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<SessionReader> session_;
  Timeline timeline_;
};

TEST_F(LinkSpeedsOfARecording, AreSetOnInterfacesOfThatName) {
  ASSERT_TRUE(SetCapacities({.links = {"veth0=100G"}}, timeline_).ok());
  for (const pb::Interface& interface : timeline_.session().interfaces()) {
    EXPECT_EQ(interface.bits_per_second(), interface.name() == "veth0" ? 100'000'000'000u : 0u)
        << interface.name();
  }
}

TEST_F(LinkSpeedsOfARecording, AreRefusedForOtherNamesWithThoseThatThereAre) {
  const absl::Status status = SetCapacities({.links = {"eth9=1G"}}, timeline_);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("no interface eth9 in the recording; it has veth0"));
}

TEST_F(LinkSpeedsOfARecording, OfDisksAreRefusedForOtherNames) {
  const absl::Status status = SetCapacities({.disks = {"vdz=1kIOPS"}}, timeline_);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("no disk vdz in the recording; it has none"));
}

}  // namespace
}  // namespace gordian
