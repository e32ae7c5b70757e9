#include "analysis/link_speeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

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
  ASSERT_TRUE(SetLinkSpeeds({"veth0=100G"}, timeline_).ok());
  for (const pb::Interface& interface : timeline_.session().interfaces()) {
    EXPECT_EQ(interface.bits_per_second(), interface.name() == "veth0" ? 100'000'000'000u : 0u)
        << interface.name();
  }
}

TEST_F(LinkSpeedsOfARecording, AreRefusedForOtherNamesWithThoseThatThereAre) {
  const absl::Status status = SetLinkSpeeds({"eth9=1G"}, timeline_);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("no interface eth9 in the recording; it has veth0"));
}

}  // namespace
}  // namespace gordian
