// SPDX-License-Identifier: Apache-2.0
#include "requests/service_tiers.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr uint16_t kPort = 8080;

// Server n answers with thread n at address n.
class TierTest : public ::testing::Test {
 protected:
  uint32_t Connect(uint8_t server) {
    RequestConnection connection{.is_served = true};
    connection.to_server.destination.family = FlowFamily::kIpv4;
    connection.to_server.destination.bytes = {10, 0, 0, server};
    connection.to_server.destination_port = kPort;
    connection.to_server.protocol = 6;
    found_.connections.push_back(connection);
    return static_cast<uint32_t>(found_.connections.size() - 1);
  }
  void Ask(EntityId client, uint8_t server, int times) {
    const uint32_t connection = Connect(server);
    for (int i = 0; i < times; ++i)
      found_.requests.push_back({.connection = connection, .thread = server, .client = client});
  }
  void Separate() {
    LocalServices services(found_.connections);
    SeparateTiers(found_, services);
    names_ = services.TakeNames();
  }
  uint16_t PortOf(size_t connection) const {
    return found_.connections[connection].to_server.destination_port;
  }

  FoundRequests found_;
  std::map<uint16_t, std::string> names_;
};

TEST_F(TierTest, AreTheServersThatOthersOfThePortAsk) {
  Ask(/*client=*/100, /*server=*/1, 10);
  Ask(/*client=*/1, /*server=*/2, 10);
  Ask(/*client=*/2, /*server=*/3, 10);
  Separate();
  EXPECT_EQ(PortOf(0), kPort);
  EXPECT_NE(PortOf(1), kPort);
  EXPECT_NE(PortOf(2), PortOf(1));
  EXPECT_EQ(names_.at(PortOf(1)), "10.0.0.2:8080");
  EXPECT_EQ(names_.at(PortOf(2)), "10.0.0.3:8080");
}

TEST_F(TierTest, HoldAllReplicasThatAreAsFarBehind) {
  Ask(100, 1, 10);
  Ask(100, 2, 10);
  Ask(1, 3, 10);
  Ask(2, 4, 10);
  Separate();
  EXPECT_EQ(PortOf(0), PortOf(1));
  EXPECT_EQ(PortOf(2), PortOf(3));
  EXPECT_EQ(names_.at(PortOf(2)), "10.0.0.3:8080 and 1 more");
}

// Peers of a cluster, or a server that now and then asks another one.
TEST_F(TierTest, AreNoneOfServersThatAskEachOther) {
  Ask(1, 2, 10);
  Ask(2, 1, 10);
  Ask(100, 3, 10);
  Ask(1, 3, 2);
  Separate();
  for (size_t i = 0; i < found_.connections.size(); ++i) EXPECT_EQ(PortOf(i), kPort);
  EXPECT_TRUE(names_.empty());
}

}  // namespace
}  // namespace gordian
