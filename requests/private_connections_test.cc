// SPDX-License-Identifier: Apache-2.0
// A program that serves others on port 80 asks two helpers over connections of their own.
#include "requests/private_connections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr int32_t kProxyTid = 10, kOneHelperTid = 30, kOtherHelperTid = 31, kClientTid = 20;
constexpr uint16_t kFirstChosenPort = 40000;  // … by the kernel

// Both helpers are asked each round, and answer 1 ms later. Of the first one the helper's port is
// the lower one, of the second one the server's.
void Play(TestTalk& talk, uint16_t first_port, bool serves) {
  talk.trace()
      .Thread(kProxyTid, "proxy")
      .Thread(kClientTid, "client")
      .Thread(kOneHelperTid, "helper")
      .Thread(kOtherHelperTid, "helper");
  for (uint64_t round = 0; round < 10; ++round) {
    const uint64_t begin_ns = 1_ms + round * 10_ms;
    for (const uint16_t client : {50001, 50002}) {
      if (!serves) continue;
      talk.At(begin_ns);
      talk.Ask(client, 100, kClientTid);
    }
    talk.At(begin_ns + 1_ms);
    talk.Ask(first_port + 1, 100, kProxyTid, first_port);
    talk.At(begin_ns + 1_ms + 10_us);
    talk.Answer(first_port + 3, kProxyTid, 100, first_port + 2,
                /*local=*/true);  // asks the other one
    talk.At(begin_ns + 2_ms);
    talk.Answer(first_port + 1, kOneHelperTid, 100, first_port, /*local=*/true);
    talk.At(begin_ns + 2_ms + 10_us);
    talk.Ask(first_port + 3, 100, kOtherHelperTid, first_port + 2);
    for (const uint16_t client : {50001, 50002}) {
      if (!serves) continue;
      talk.At(begin_ns + 3_ms);
      talk.Answer(client, kProxyTid, 100, kServerPort, /*local=*/true);
    }
  }
}

std::set<std::string> ServersOf(TestTalk& talk, const FoundRequests& found) {
  std::set<std::string> names;
  const Timeline& timeline = talk.timeline();
  for (const Request& request : found.requests)
    names.insert(timeline.entities()[request.thread].name);
  return names;
}

TEST(PrivateConnections, AreAskedByWhoServesOthers) {
  TestTalk talk;
  Play(talk, kFirstChosenPort, /*serves=*/true);
  talk.Load();
  const FoundRequests found = talk.Find();
  EXPECT_EQ(ServersOf(talk, found), (std::set<std::string>{"helper", "proxy"}));
  size_t of_helpers = 0;
  std::set<uint16_t> ports;
  for (const Request& request : found.requests) {
    const RequestConnection& connection = found.connections[request.connection];
    if (!connection.is_private) continue;
    ++of_helpers;
    EXPECT_NEAR(static_cast<double>(request.latency_ns()), 1e6, 1e4);
    EXPECT_EQ(talk.timeline().entities()[request.client].name, "proxy");
    ports.insert(connection.to_server.destination_port);
  }
  EXPECT_EQ(of_helpers, 20u);
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_EQ(found.local_services.at(*ports.begin()), "helper for proxy");
}

// Whoever it is: both connections are seen the same way round.
TEST(PrivateConnections, OfTheSameTwoProgramsAgree) {
  TestTalk talk;
  Play(talk, kFirstChosenPort, /*serves=*/false);
  talk.Load();
  EXPECT_EQ(ServersOf(talk, talk.Find()).size(), 1u);
}

// A port that a program chose is a server's, also with one client.
TEST(PrivateConnections, AreNoneWithAPortThatAProgramChose) {
  TestTalk talk;
  Play(talk, /*first_port=*/9000, /*serves=*/true);
  talk.Load();
  const FoundRequests found = talk.Find();
  EXPECT_TRUE(found.local_services.empty());
  for (const RequestConnection& connection : found.connections) EXPECT_FALSE(connection.is_private);
}

}  // namespace
}  // namespace gordian
