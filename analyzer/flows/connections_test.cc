// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/connections.h"

#include <gmock/gmock.h>
#include <netinet/in.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;

constexpr uint8_t kLoopback = 127;

FlowRecord FlowFrom(uint32_t id, uint8_t host, uint16_t port, uint8_t to_host, uint16_t to_port,
                    uint8_t net = 10) {
  FlowRecord flow{.flow_id = id,
                  .family = FlowFamily::kIpv4,
                  .protocol = IPPROTO_TCP,
                  .source_port = port,
                  .destination_port = to_port};
  flow.source[0] = flow.destination[0] = net;
  flow.source[3] = host;
  flow.destination[3] = to_host;
  return flow;
}

FlowTable TableOf(std::initializer_list<FlowRecord> flows) {
  FlowTable table;
  for (const FlowRecord& flow : flows) AddFlow(flow, table);
  return table;
}

TcpConnections Find(std::vector<FlowTable> tables, std::vector<uint16_t> ports = {}) {
  std::vector<const FlowTable*> of_nodes;
  for (const FlowTable& table : tables) of_nodes.push_back(&table);
  return FindConnections(of_nodes, ports);
}

std::vector<uint16_t> ServerPorts(const TcpConnections& found) {
  std::vector<uint16_t> ports;
  for (const FlowTuple& tuple : found.to_server) ports.push_back(tuple.destination_port);
  return ports;
}

TEST(Connections, HaveTheServerWhereMoreOthersTalkTo) {
  const TcpConnections found =
      Find({TableOf({FlowFrom(1, 1, 900, 2, 50000), FlowFrom(2, 2, 50000, 1, 901)})});
  EXPECT_THAT(ServerPorts(found), ElementsAre(50000, 50000));
  EXPECT_TRUE(found.place_of_flow[0].at(1).to_server);
  EXPECT_FALSE(found.place_of_flow[0].at(2).to_server);
}

// A client's long connection to a database, and from the same port a short one to a web server.
TEST(Connections, KnowAClientsPortThatTalksToSeveralServers) {
  const TcpConnections found =
      Find({TableOf({FlowFrom(1, 1, 50000, 2, 5432), FlowFrom(2, 1, 50000, 3, 60000),
                     FlowFrom(3, 1, 50001, 3, 60000), FlowFrom(4, 1, 50002, 3, 60000)})});
  EXPECT_THAT(ServerPorts(found), ElementsAre(5432, 60000, 60000, 60000));
}

TEST(Connections, HaveTheServerAtTheLowerPortWhereEachEndHasOnePeer) {
  EXPECT_THAT(ServerPorts(Find({TableOf({FlowFrom(1, 2, 5432, 1, 40000)})})), ElementsAre(5432));
}

TEST(Connections, HaveTheServerAtAGivenPortBeforeAllElse) {
  const TcpConnections found =
      Find({TableOf({FlowFrom(1, 1, 900, 2, 50000), FlowFrom(2, 2, 50000, 1, 901)})}, {900});
  EXPECT_THAT(ServerPorts(found), ElementsAre(900, 50000));
}

TEST(Connections, AreTheSameOnBothNodesThatSeeThem) {
  const TcpConnections found =
      Find({TableOf({FlowFrom(7, 1, 40000, 2, 5432)}), TableOf({FlowFrom(3, 2, 5432, 1, 40000)})});
  ASSERT_EQ(found.to_server.size(), 1u);
  EXPECT_EQ(found.place_of_flow[0].at(7).connection, found.place_of_flow[1].at(3).connection);
  EXPECT_TRUE(found.place_of_flow[0].at(7).to_server);
  EXPECT_FALSE(found.place_of_flow[1].at(3).to_server);
}

TEST(Connections, OfAHostWithItselfAreItsOwn) {
  const FlowRecord to_self = FlowFrom(1, 1, 40000, 1, 5432);
  const FlowRecord on_loopback = FlowFrom(2, 1, 40001, 2, 5432, kLoopback);
  EXPECT_EQ(
      Find({TableOf({to_self, on_loopback}), TableOf({to_self, on_loopback})}).to_server.size(),
      4u);
}

TEST(Connections, AreOfTcpAlone) {
  FlowRecord datagrams = FlowFrom(1, 1, 40000, 2, 53);
  datagrams.protocol = IPPROTO_UDP;
  const TcpConnections found = Find({TableOf({datagrams, FlowFrom(2, 1, 0, 2, 0)})});
  EXPECT_TRUE(found.to_server.empty());
  EXPECT_TRUE(found.place_of_flow[0].empty());
}

}  // namespace
}  // namespace gordian
