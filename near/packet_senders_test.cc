// SPDX-License-Identifier: Apache-2.0
// Who sent a packet, where several nodes may have: asked, as joined.
#include "near/packet_senders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "near/near_slice.h"
#include "near/test_asked_folders.h"
#include "nodes/joined_nodes.h"
#include "nodes/test_cluster.h"

namespace gordian {
namespace {

using testing::AskedFolders;
using testing::BeginFrontAndDatabase;
using testing::kDb;
using testing::kSleep;
using testing::kWeb;
using testing::PartsOfAsked;
using testing::PartsOfJoined;
using testing::TempDir;
using testing::TestClock;
using testing::TestCluster;
using testing::TextOf;
using testing::ThreadParts;
using testing::operator""_ms;
using testing::operator""_us;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Of a thread, back from its end.
struct BothSlices {
  std::string joined;
  std::string asked;
  std::vector<std::string> notes;
};

BothSlices SlicesOf(TestCluster& cluster, const std::string& node, int32_t tid) {
  const TempDir dir;
  cluster.Write(dir / "run");
  std::vector<std::string> skipped;
  const auto joined = LoadNodes(*FindNodeSessions(dir / "run"), {.threads = 1}, {}, skipped);
  if (!joined.ok()) std::abort();
  const Timeline& timeline = joined->timeline;
  const ExecutionGraph graph(timeline);
  SliceRequest request;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    if (entity.tid == tid && timeline.nodes()[entity.node] == node)
      request = {.thread = id, .at_ns = entity.end_ns};
  }
  AskedFolders asked(dir / "run");
  const auto slice = asked.Ask({.thread = absl::StrCat(tid), .node = node});
  if (!slice.ok()) return {.asked = std::string(slice.status().message())};
  return {.joined = TextOf(PartsOfJoined(timeline, SliceOf(graph, request))),
          .asked = TextOf(PartsOfAsked(asked.nodes(), *slice)),
          .notes = slice->notes};
}

const std::vector<uint16_t> kBoth = {kWeb, kDb};

// The front asks the database three times, who works for 5 ms and answers.
struct Asking {
  uint64_t work_ns = 5_ms;         // of the database
  uint64_t flight_ns = 1_ms;       // of the answer
  bool is_seen_by_all = false;     // each recording has the other's packets as its own kernel's
  bool is_set_free_later = false;  // the answer's second part, by the database's kernel
  // Whose addresses each node's list names.
  std::vector<uint16_t> web_names = {kWeb};
  std::vector<uint16_t> db_names = {kDb};
};

void TellAddresses(TestCluster& cluster, const std::string& node,
                   const std::vector<uint16_t>& ports) {
  pb::Interface& interface = *cluster.At(node, 0).session().mutable_interfaces(0);
  for (const uint16_t port : ports)
    interface.add_addresses(absl::StrCat("10.0.0.", port % 256, "/24"));
}

void SendBoth(TestCluster& cluster, const Asking& asking, const std::pair<uint64_t, int32_t>& when,
              uint32_t sequence, uint32_t payload) {
  cluster.At("db", when.first);
  cluster.Send("db", kDb, kWeb, sequence, payload, when.second);
  if (!asking.is_seen_by_all) return;
  cluster.At("web", when.first + 1_us, 1);
  cluster.Send("web", kDb, kWeb, sequence, payload, 0);
}

void AskThrice(TestCluster& cluster, const Asking& asking, const TestClock& clock = {}) {
  cluster.Node("web");
  cluster.Node("db", clock);
  TellAddresses(cluster, "web", asking.web_names);
  TellAddresses(cluster, "db", asking.db_names);
  BeginFrontAndDatabase(cluster);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint64_t begin_ns = 10_ms + i * 20_ms;
    const uint32_t sequence = 1000 + 100 * i;
    cluster.At("web", begin_ns).WakeFromTimer(1).Run(1);
    cluster.At("web", begin_ns + 1_ms);
    cluster.Send("web", kWeb, kDb, sequence, 100, 1);
    cluster.At("web", begin_ns + 1_ms).Block(kSleep);
    if (asking.is_seen_by_all) {
      cluster.At("db", begin_ns + 1_ms + 1_us, 1);
      cluster.Send("db", kWeb, kDb, sequence, 100, 0);
    }
    cluster.At("db", begin_ns + 2_ms);
    cluster.Deliver("db", kWeb, kDb, sequence, 100, 2);
    cluster.At("db", begin_ns + 2_ms).Run(2);
    if (asking.is_set_free_later) SendBoth(cluster, asking, {begin_ns + 5_ms, 2}, sequence, 20);
    const uint32_t first = asking.is_set_free_later ? 20 : 0;
    const uint64_t sent_ns = begin_ns + 2_ms + asking.work_ns;
    SendBoth(cluster, asking, {sent_ns, first > 0 ? 0 : 2}, sequence + first, 100 - first);
    cluster.At("db", sent_ns).Block(kSleep);
    const uint64_t received_ns = sent_ns + asking.flight_ns;
    cluster.At("web", received_ns);
    cluster.Deliver("web", kDb, kWeb, sequence + first, 100 - first, 1);
    cluster.At("web", received_ns).Run(1);
    cluster.At("web", received_ns + 2_ms).Block(kSleep);
  }
  cluster.Measure(80_ms, 10_ms);
}

void ExpectSameSlices(TestCluster& cluster) {
  for (const auto& [node, tid] : {std::pair("web", 1), std::pair("db", 2)}) {
    const BothSlices slices = SlicesOf(cluster, node, tid);
    EXPECT_EQ(slices.asked, slices.joined) << node;
    EXPECT_THAT(slices.joined, HasSubstr("db/"));
    EXPECT_THAT(slices.joined, HasSubstr("web/"));
  }
}

TEST(PacketSenders, AreThoseOfTheOneNodeWithTheAddress) {
  TestCluster cluster;
  AskThrice(cluster, {});
  ExpectSameSlices(cluster);
}

// As of network namespaces on one kernel.
TEST(PacketSenders, AreThreadsWhereAllNodesNameAllAddressesAndSeeAllPackets) {
  TestCluster cluster;
  AskThrice(cluster, {.is_seen_by_all = true, .web_names = kBoth, .db_names = kBoth});
  ExpectSameSlices(cluster);
}

TEST(PacketSenders, AreFoundWhereNoNodeNamesTheAddress) {
  TestCluster cluster;
  AskThrice(cluster, {.web_names = {}, .db_names = {}});
  ExpectSameSlices(cluster);
}

TEST(PacketSenders, AreFoundThoughOnlyTheReceiverNamesTheAddress) {
  TestCluster cluster;
  AskThrice(cluster, {.is_seen_by_all = true, .web_names = kBoth, .db_names = {}});
  ExpectSameSlices(cluster);
}

TEST(PacketSenders, AreThoseWhoWroteWhatAKernelSentLater) {
  TestCluster cluster;
  AskThrice(cluster, {.is_set_free_later = true});
  ExpectSameSlices(cluster);
}

// The receiver's recording has the packet, too, and that counts before others: but not who wrote.
TEST(PacketSenders, AreThoseWhoWroteOnAnotherNodeThanThePacketIsOf) {
  TestCluster cluster;
  AskThrice(
      cluster,
      {.is_seen_by_all = true, .is_set_free_later = true, .web_names = kBoth, .db_names = kBoth});
  ExpectSameSlices(cluster);
}

// For measured clocks, the answer came 3 µs before it was sent, when the database still slept.
// Joined clocks know better, as no message comes before it was sent.
TEST(PacketSenders, AreEnteredWhereTheirOwnClockSays) {
  TestCluster cluster;
  AskThrice(cluster, {.work_ns = 1_us, .flight_ns = 2_us},
            {.skew_ns = 3'000'000, .error_ns = 5'000, .bound_ns = 20'000});
  const BothSlices slices = SlicesOf(cluster, "web", 1);
  EXPECT_THAT(slices.joined, HasSubstr("db/"));
  EXPECT_THAT(slices.asked, HasSubstr("db/"));
  const auto stretches = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ' ');
  };
  EXPECT_EQ(stretches(slices.asked), stretches(slices.joined));
}

// The server got a part of a question; its kernel acknowledges after 40 ms, and the rest comes.
BothSlices SlicesOfRest(int32_t sender_of_rest) {
  TestCluster cluster;
  cluster.Node("db");
  cluster.Node("web");
  cluster.Flow(kWeb, kDb);
  cluster.Flow(kDb, kWeb);
  cluster.At("db", 0).Thread(20, "back");
  cluster.At("web", 0).Thread(10, "front").Run(10);
  cluster.At("web", 900_us);
  cluster.Send("web", kWeb, kDb, 1000, 10, 10);
  cluster.At("db", 1_ms);
  cluster.Receive("db", kWeb, kDb, 1000, 10);
  cluster.At("db", 41_ms);
  cluster.Send("db", kDb, kWeb, 9000, 0, 0);
  cluster.At("web", 41400_us);
  cluster.Send("web", kWeb, kDb, 1010, 100, sender_of_rest);
  cluster.At("db", 41500_us);
  cluster.Deliver("db", kWeb, kDb, 1010, 100, 20);
  cluster.At("db", 41510_us).Run(20);
  cluster.Measure(900_ms);
  return SlicesOf(cluster, "db", 20);
}

TEST(PacketSenders, AreNobodyWhereAKernelHeldDataBack) {
  const BothSlices slices = SlicesOfRest(0);
  EXPECT_EQ(slices.asked, slices.joined);
  EXPECT_THAT(slices.asked, Not(HasSubstr("web/")));
  EXPECT_THAT(slices.notes, ElementsAre(HasSubstr("held back")));
}

TEST(PacketSenders, AreThreadsThatSentRightAfterAnAcknowledgement) {
  const BothSlices slices = SlicesOfRest(10);
  EXPECT_EQ(slices.asked, slices.joined);
  EXPECT_THAT(slices.asked, HasSubstr("web/"));
}

// The front asks by datagrams; the second goes out while the first is under way, or not at all.
BothSlices SlicesOfDatagrams(bool is_second_sent) {
  constexpr uint8_t kUdp = 17;
  TestCluster cluster;
  cluster.Node("db");
  cluster.Node("web");
  cluster.Flow(kWeb, kDb, kUdp);
  cluster.At("db", 0).Thread(20, "back");
  cluster.At("web", 0).Thread(10, "front").Run(10);
  cluster.At("web", 20_ms);
  cluster.Send("web", kWeb, kDb, 0, 100, 10);
  if (is_second_sent) {
    cluster.At("web", 20500_us);
    cluster.Send("web", kWeb, kDb, 0, 100, 10);
  }
  cluster.At("db", 21_ms);
  cluster.Deliver("db", kWeb, kDb, 0, 100, 20);
  cluster.At("db", 21_ms).Run(20);
  cluster.Measure(80_ms, 10_ms);
  return SlicesOf(cluster, "db", 20);
}

TEST(PacketSenders, AreThoseOfADatagramThatAloneWasUnderWay) {
  const BothSlices slices = SlicesOfDatagrams(false);
  EXPECT_EQ(slices.asked, slices.joined);
  EXPECT_THAT(slices.asked, HasSubstr("web/"));
}

TEST(PacketSenders, AreNotGuessedOfSeveralDatagrams) {
  const BothSlices slices = SlicesOfDatagrams(true);
  EXPECT_THAT(slices.asked, Not(HasSubstr("web/")));
  EXPECT_THAT(slices.notes, ElementsAre(HasSubstr("datagrams of several")));
}

}  // namespace
}  // namespace gordian
