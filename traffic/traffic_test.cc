// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kSendHeaders = 14 + 20 + 32;  // Ethernet, IPv4, TCP with timestamps
constexpr uint32_t kReceiveHeaders = 20 + 32;
constexpr uint32_t kEth = 2;
constexpr uint8_t kTcp = IPPROTO_TCP, kUdp = IPPROTO_UDP;

FlowRecord Ipv4(uint32_t id, const std::string& from, uint16_t from_port, const std::string& to,
                uint16_t to_port, uint8_t protocol = kTcp) {
  FlowRecord flow{.flow_id = id,
                  .family = FlowFamily::kIpv4,
                  .protocol = protocol,
                  .source_port = from_port,
                  .destination_port = to_port};
  inet_pton(AF_INET, from.c_str(), flow.source.data());
  inet_pton(AF_INET, to.c_str(), flow.destination.data());
  return flow;
}

FlowRecord Mirrored(FlowRecord flow, uint32_t id) {
  flow.flow_id = id;
  std::swap(flow.source, flow.destination);
  std::swap(flow.source_port, flow.destination_port);
  return flow;
}

// A node with a few threads, and packets of TCP by their payload.
class NodeTrace : public TraceBuilder {
 public:
  NodeTrace(const std::string& host, const std::string& address) {
    Unchecked();
    session().mutable_host()->set_hostname(host);
    pb::Interface* eth = session().add_interfaces();
    eth->set_index(kEth);
    eth->add_addresses(address);
  }
  NodeTrace& Send(uint32_t flow, int32_t tid, uint32_t payload, bool in_softirq = false,
                  uint32_t interface = kEth) {
    const uint32_t sequence = next_[flow];
    next_[flow] += payload;
    return SendAt(flow, tid, sequence, payload, in_softirq, interface);
  }
  NodeTrace& SendAt(uint32_t flow, int32_t tid, uint32_t sequence, uint32_t payload,
                    bool in_softirq = false, uint32_t interface = kEth) {
    NetSend({.flow_id = flow,
             .interface = interface,
             .bytes = kSendHeaders + payload,
             .sequence = sequence,
             .tid = tid,
             .in_softirq = in_softirq});
    return *this;
  }
  NodeTrace& Receive(uint32_t flow, uint32_t payload, uint32_t interface = kEth) {
    uint32_t& next = received_[flow];
    NetReceive({.flow_id = flow,
                .interface = interface,
                .bytes = kReceiveHeaders + payload,
                .sequence = next,
                .in_softirq = true});
    next += payload;
    return *this;
  }

 private:
  std::map<uint32_t, uint32_t> next_, received_;
};

struct Cell {
  uint64_t payload = 0, messages = 0, packets = 0;
  bool operator==(const Cell&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Cell& cell) {
  return out << "{" << cell.payload << ", " << cell.messages << ", " << cell.packets << "}";
}

using Table = std::map<std::string, Cell>;

Table TableOf(const Traffic& traffic) {
  Table table;
  for (const TrafficPair& pair : traffic.pairs) {
    table[traffic.parties[pair.from].name + " > " + traffic.parties[pair.to].name] = {
        pair.amount.payload_bytes, pair.amount.messages, pair.amount.packets};
  }
  return table;
}

std::map<std::string, uint64_t> PayloadBySpan(const Traffic& traffic) {
  std::map<std::string, uint64_t> spans;
  for (const TrafficPair& pair : traffic.pairs) {
    for (const SpanAmount& amount : pair.spans) {
      const TrafficSpan& span = traffic.spans[amount.span];
      const std::string label = span.kind == SpanKind::kOutside   ? "none"
                                : span.kind == SpanKind::kSeveral ? "several"
                                : span.label.empty()              ? std::to_string(span.start_ns)
                                                                  : span.label;
      if (amount.amount.payload_bytes > 0) spans[label] += amount.amount.payload_bytes;
    }
  }
  return spans;
}

class TrafficTest : public ::testing::Test {
 protected:
  void Write(const std::string& node, NodeTrace& trace, const std::string& rack = "") {
    ASSERT_TRUE(trace.WriteSession(dir_ / node).ok());
    options_.nodes.push_back({.name = node, .directory = dir_ / node, .rack = rack});
  }
  Traffic Measure(TrafficLevel level = TrafficLevel::kProcess) {
    options_.level = level;
    const absl::StatusOr<Traffic> traffic = MeasureTraffic(options_);
    EXPECT_TRUE(traffic.ok()) << traffic.status();
    return traffic.ok() ? *traffic : Traffic();
  }
  Table Of(TrafficLevel level) { return TableOf(Measure(level)); }

  const TempDir dir_;
  TrafficOptions options_;
};

// web asks db twice on a connection: 100 and 50 bytes, answered by 1000 in two packets and 20.
void AskTwice(NodeTrace& web, NodeTrace& db) {
  const FlowRecord ask = Ipv4(1, "10.0.0.1", 40000, "10.0.0.2", 5432);
  const FlowRecord answer = Mirrored(ask, 2);
  web.Thread(10, "web").Flow(ask).Flow(answer);
  db.Thread(20, "db").Flow(ask).Flow(answer);
  web.At(1_ms);
  web.Send(1, 10, 100);
  db.At(2_ms);
  db.Receive(1, 100).Send(2, 20, 600).Send(2, 0, 400, true);
  web.At(3_ms);
  web.Receive(2, 600).Receive(2, 400).Send(1, 0, 0, true).Send(1, 10, 50);
  db.At(4_ms);
  db.Receive(1, 0).Receive(1, 50).Send(2, 20, 20);
  web.At(5_ms);
  web.Receive(2, 20).Send(1, 10, 0);
  db.At(6_ms);
  db.Receive(1, 0);
}

TEST_F(TrafficTest, WhatBothEndsRecordedCountsOnceByItsSender) {
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2");
  AskTwice(web, db);
  Write("n1", web);
  Write("n2", db);
  const Traffic traffic = Measure();
  EXPECT_EQ(TableOf(traffic),
            (Table{{"n1/web/10 > n2/db/20", {150, 2, 4}}, {"n2/db/20 > n1/web/10", {1020, 2, 3}}}));
  EXPECT_EQ(traffic.flows, 2u);
  EXPECT_EQ(traffic.by_sender_bytes, 1170u);
  EXPECT_EQ(traffic.by_receiver_bytes + traffic.in_passing_bytes, 0u);
  EXPECT_EQ(traffic.total.empty_packets, 2u);
  EXPECT_EQ(traffic.total.ip_bytes, 1170u + 7 * 52);
  EXPECT_EQ(Of(TrafficLevel::kHost), (Table{{"n1 > n2", {150, 2, 4}}, {"n2 > n1", {1020, 2, 3}}}));
}

TEST_F(TrafficTest, WhatOnlyOneEndRecordedCountsByThatEnd) {
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2");
  AskTwice(web, db);
  Write("n2", db);
  const Traffic traffic = Measure();
  // The client's port is of no interest.
  EXPECT_EQ(TableOf(traffic), (Table{{"10.0.0.1 (outside) > n2/db/20", {150, 2, 4}},
                                     {"n2/db/20 > 10.0.0.1 (outside)", {1020, 2, 3}}}));
  EXPECT_EQ(traffic.by_receiver_bytes, 150u);
  EXPECT_EQ(traffic.by_sender_bytes, 1020u);
  options_.nodes.clear();
  Write("n1", web);
  EXPECT_EQ(Of(TrafficLevel::kProcess),
            (Table{{"n1/web/10 > 10.0.0.2:5432 (outside)", {150, 2, 4}},
                   {"10.0.0.2:5432 (outside) > n1/web/10", {1020, 2, 3}}}));
}

TEST_F(TrafficTest, PartiesOnOneNodeTellWhichAndProcessesTheirNumber) {
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2");
  AskTwice(web, db);
  Write("n1", web);
  Write("n2", db);
  for (const TrafficParty& party : Measure().parties) {
    EXPECT_EQ(party.node, party.name == "n1/web/10" ? 0u : 1u) << party.name;
    EXPECT_EQ(party.pid, party.name == "n1/web/10" ? 10 : 20) << party.name;
  }
  for (const TrafficParty& party : Measure(TrafficLevel::kHost).parties) {
    EXPECT_EQ(party.node, party.name == "n1" ? 0u : 1u) << party.name;
    EXPECT_EQ(party.pid, 0) << party.name;
  }
  for (const TrafficParty& party : Measure(TrafficLevel::kRack).parties)
    EXPECT_EQ(party.node, kNoTrafficNode) << "a rack has many";
}

TEST_F(TrafficTest, RacksHoldNodes) {
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2");
  AskTwice(web, db);
  Write("n1", web, "r1");
  Write("n2", db);
  EXPECT_EQ(Of(TrafficLevel::kRack),
            (Table{{"r1 > (no rack)", {150, 2, 4}}, {"(no rack) > r1", {1020, 2, 3}}}));
  options_.nodes[1].rack = "r1";
  EXPECT_EQ(Of(TrafficLevel::kRack), (Table{{"r1 > r1", {1170, 4, 7}}}));
}

TEST_F(TrafficTest, LoopbackCountsOnce) {
  NodeTrace node("h1", "10.0.0.1");
  const FlowRecord there = Ipv4(1, "127.0.0.1", 40000, "127.0.0.1", 80);
  node.Thread(10, "client").Thread(20, "server").Flow(there).Flow(Mirrored(there, 2));
  node.At(1_ms);
  for (int round = 0; round < 3; ++round)
    node.Send(1, 10, 10).Receive(1, 10).Send(2, 20, 12).Receive(2, 12);
  node.Send(1, 10, 0).Receive(1, 0);
  Write("", node);
  EXPECT_EQ(Of(TrafficLevel::kProcess),
            (Table{{"client/10 > server/20", {30, 3, 4}}, {"server/20 > client/10", {36, 3, 3}}}));
  EXPECT_EQ(Of(TrafficLevel::kHost), (Table{{"h1 > h1", {66, 6, 7}}}));
}

TEST_F(TrafficTest, TheServerMaySpeakFirst) {
  NodeTrace node("h1", "10.0.0.1");
  const FlowRecord there = Ipv4(1, "127.0.0.1", 40000, "127.0.0.1", 80);
  node.Thread(10, "client").Thread(20, "server").Flow(there).Flow(Mirrored(there, 2));
  // Opening: a header of 40 bytes, and the next packet one further.
  node.At(1_ms).NetSend({.flow_id = 1, .bytes = 74, .sequence = 99, .tid = 10});
  node.NetSend({.flow_id = 2, .bytes = 74, .sequence = 49, .tid = 10, .in_softirq = true});
  node.SendAt(1, 10, 100, 0).SendAt(2, 20, 50, 33).SendAt(1, 10, 100, 5).SendAt(2, 20, 83, 0);
  node.SendAt(1, 10, 105, 0);
  Write("n", node);
  EXPECT_EQ(Of(TrafficLevel::kProcess), (Table{{"n/client/10 > n/server/20", {5, 1, 4}},
                                               {"n/server/20 > n/client/10", {33, 1, 3}}}));
}

// A kernel of several namespaces records one packet of the answers as sent on, and all as received.
TEST_F(TrafficTest, ASinglePacketSeenOnItsWayDoesNotHideWhoseTurnItIs) {
  const FlowRecord ask = Ipv4(1, "10.0.0.1", 40000, "10.0.0.2", 5432);
  NodeTrace web("h1", "10.0.0.1");
  web.Thread(10, "web").Flow(ask).Flow(Mirrored(ask, 2));
  web.At(1_ms);
  web.SendAt(2, 0, 0, 0, true, kEth + 1);
  for (int i = 0; i < 5; ++i) {
    web.At((2 + 2 * i) * 1_ms);
    web.Send(1, 10, 100);
    web.At((3 + 2 * i) * 1_ms);
    web.Receive(2, 20);
  }
  Write("n1", web);
  EXPECT_EQ(Measure().total.messages, 10u);
}

TEST_F(TrafficTest, RetransmissionsAreNoPayload) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web").Flow(Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 443));
  node.At(1_ms);
  node.SendAt(1, 10, 0, 1000).SendAt(1, 10, 1000, 1000).SendAt(1, 0, 0, 1000, true);
  node.SendAt(1, 10, 2000, 0);
  Write("n", node);
  const Traffic traffic = Measure();
  EXPECT_EQ(TableOf(traffic), (Table{{"n/web/10 > 10.9.9.9:443 (outside)", {2000, 1, 4}}}));
  EXPECT_EQ(traffic.total.repeated_packets, 1u);
  EXPECT_EQ(traffic.total.repeated_bytes, 1000u);
}

TEST_F(TrafficTest, DatagramsAreMessages) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "dns").Flow(Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 53, kUdp));
  node.Flow(Ipv4(2, "10.0.0.1", 0, "10.9.9.9", 0, kUdp));  // the rest of one that was cut
  node.Flow(Ipv4(3, "10.0.0.1", 0, "10.9.9.9", 0, IPPROTO_ICMP));
  node.At(1_ms).NetSend({.flow_id = 1, .interface = kEth, .bytes = 14 + 28 + 30, .tid = 10});
  node.NetSend({.flow_id = 1, .interface = kEth, .bytes = 14 + 28 + 70, .tid = 10});
  node.NetSend({.flow_id = 2, .interface = kEth, .bytes = 14 + 20 + 200, .tid = 10});
  node.NetSend({.flow_id = 3, .interface = kEth, .bytes = 14 + 20 + 8, .tid = 10});
  Write("n", node);
  EXPECT_EQ(Of(TrafficLevel::kHost), (Table{{"n > 10.9.9.9 (outside)", {308, 3, 4}}}));
}

TEST_F(TrafficTest, APacketOnSeveralInterfacesCountsOnce) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web").Flow(Ipv4(1, "172.17.0.2", 4000, "10.9.9.9", 443));
  node.At(1_ms);
  for (uint32_t i = 0; i < 3; ++i)
    node.SendAt(1, 10, i * 100, 100, false, 7).SendAt(1, 10, i * 100, 100, true, kEth);
  Write("n", node);
  Traffic traffic = Measure(TrafficLevel::kHost);
  EXPECT_EQ(TableOf(traffic), (Table{{"n > 10.9.9.9 (outside)", {300, 1, 3}}}));
  EXPECT_EQ(traffic.seen_again_packets, 3u);
}

TEST_F(TrafficTest, ContainersAreToldByTheirCgroups) {
  NodeTrace node("h1", "10.0.0.1");
  const std::string id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const FlowRecord there = Ipv4(1, "172.17.0.2", 40000, "172.17.0.1", 80);
  node.Flow(there).Flow(Mirrored(there, 2)).Flow(Ipv4(3, "10.0.0.1", 1000, "10.0.0.1", 80));
  node.Thread(10, "a").Thread(20, "b").Thread(30, "c");
  node.At(1_ms).InCgroup(10, 5, "/system.slice/docker-" + id + ".scope");
  node.InCgroup(20, 6, "/system.slice/nginx.service");
  node.Send(1, 10, 10).Send(2, 20, 20).Send(3, 30, 30);
  Write("n", node);
  EXPECT_EQ(Of(TrafficLevel::kContainer),
            (Table{{"n/container 0123456789ab > n/system.slice/nginx.service", {10, 1, 1}},
                   {"n/system.slice/nginx.service > n/container 0123456789ab", {20, 1, 1}},
                   {"n/(unknown cgroup) > n/(unknown process)", {30, 1, 1}}}));
}

TEST_F(TrafficTest, WhatInterruptsSendIsTheLastWritersAndBeforeThatTheOwners) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "parent").Thread(20, "child").Thread(99, "stranger");
  node.Flow(Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 80));
  node.At(1_ms);
  node.Send(1, 99, 1, true).Send(1, 10, 10).Send(1, 99, 100, true).Send(1, 20, 1000);
  node.Send(1, 99, 10000, true).Send(1, 20, 0);
  Write("n", node);
  EXPECT_EQ(Of(TrafficLevel::kProcess),
            (Table{{"n/parent/10 > 10.9.9.9:80 (outside)", {110, 0, 2}},
                   {"n/child/20 > 10.9.9.9:80 (outside)", {11001, 1, 4}}}));
}

TEST_F(TrafficTest, AReaderIsKnownByTheWakesOfItsPackets) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "sink")
      .KernelThread(11, "helper")
      .Flow(Ipv4(1, "10.9.9.9", 50, "10.0.0.1", 60, kUdp));
  node.At(1_ms).NetReceive({.flow_id = 1, .interface = kEth, .bytes = 28 + 5, .in_softirq = true});
  node.WakeFromNet(11, kEth, 1).WakeFromNet(10, kEth, 1);
  Write("n", node);
  EXPECT_EQ(Of(TrafficLevel::kProcess), (Table{{"10.9.9.9:50 (outside) > n/sink/10", {5, 1, 1}}}));
}

TEST_F(TrafficTest, WhatSeveralNodesSawOfOthersPacketsIsLeftToTheirOwn) {
  // As where the nodes are network namespaces of one kernel: all see all packets.
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2"), third("h3", "10.0.0.3");
  for (NodeTrace* node : {&web, &db, &third}) {
    node->Thread(10, "web").Flow(Ipv4(1, "10.0.0.1", 4000, "10.0.0.2", 80));
    node->At(1_ms);
    node->Send(1, 10, 100).Receive(1, 100);
  }
  Write("n1", web);
  Write("n2", db);
  Write("n3", third);
  EXPECT_EQ(Of(TrafficLevel::kHost), (Table{{"n1 > n2", {100, 1, 1}}}));
}

TEST_F(TrafficTest, ContainersOfDifferentNodesMayHaveTheSameAddresses) {
  NodeTrace one("h1", "10.0.0.1"), two("h2", "10.0.0.2");
  for (NodeTrace* node : {&one, &two}) {
    node->Thread(10, "a").Flow(Ipv4(1, "172.17.0.2", 4000, "172.17.0.3", 80));
    node->Thread(20, "b").Flow(Ipv4(2, "172.17.0.3", 80, "172.17.0.2", 4000));
    node->At(1_ms);
    node->Send(1, 10, 100).Receive(1, 100).Send(2, 20, 7);
  }
  Write("n1", one);
  Write("n2", two);
  EXPECT_EQ(Of(TrafficLevel::kHost), (Table{{"n1 > n1", {107, 2, 2}}, {"n2 > n2", {107, 2, 2}}}));
}

TEST_F(TrafficTest, WhatPassesBetweenStrangersCountsAsTheFirstNodeSawIt) {
  NodeTrace one("h1", "10.0.0.1"), two("h2", "10.0.0.2");
  for (NodeTrace* node : {&one, &two}) {
    node->Flow(Ipv4(1, "192.168.0.1", 4000, "192.168.0.2", 80)).At(1_ms);
    node->Receive(1, 100).Send(1, 0, 100, true);
  }
  Write("n1", one);
  Write("n2", two);
  const Traffic traffic = Measure(TrafficLevel::kHost);
  EXPECT_EQ(TableOf(traffic),
            (Table{{"192.168.0.1 (outside) > 192.168.0.2 (outside)", {100, 1, 1}}}));
  EXPECT_EQ(traffic.in_passing_bytes, 100u);
}

TEST_F(TrafficTest, SpansAreIntervalsFromTheFirstEvent) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web").Flow(Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 80));
  for (uint32_t i = 0; i < 5; ++i) {
    node.At(10_ms + i * 4_ms);
    node.Send(1, 10, 1 << i);
  }
  Write("n", node);
  options_.interval_ns = 10'000'000;
  Traffic traffic = Measure();
  // Thread and flow were told at 0, in tasks.trace; the CPUs' first event is that definition.
  EXPECT_EQ(PayloadBySpan(traffic),
            (std::map<std::string, uint64_t>{{"10000000", 7}, {"20000000", 24}}));
  options_.interval_ns = 1;
  EXPECT_THAT(std::string(MeasureTraffic(options_).status().message()), HasSubstr("longer"));
}

TEST_F(TrafficTest, PhasesThatOverlapAreToldApartByTheSender) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "a").Thread(20, "b").Thread(30, "c");
  for (uint32_t id = 1; id <= 3; ++id)
    node.Flow(Ipv4(id, "10.0.0.1", static_cast<uint16_t>(4000 + id), "10.9.9.9", 80));
  node.At(1_ms);
  node.Send(1, 10, 1);
  node.At(11_ms);
  node.Send(1, 10, 10).Send(3, 30, 100);
  node.At(21_ms);
  node.Send(1, 10, 1000).Send(2, 20, 10000).Send(3, 30, 100000);
  Write("n", node);
  options_.by_phase = true;
  options_.phases = {{.label = "second", .start_ns = 20'000'000, .end_ns = 30'000'000, .pid = 20},
                     {.label = "first", .start_ns = 10'000'000, .end_ns = 30'000'000, .pid = 10}};
  const Traffic traffic = Measure();
  EXPECT_EQ(PayloadBySpan(traffic),
            (std::map<std::string, uint64_t>{
                {"none", 1}, {"first", 1110}, {"second", 10000}, {"several", 100000}}));
  EXPECT_EQ(traffic.spans[0].label, "first");
}

TEST_F(TrafficTest, ClocksOfNodesAreBroughtTogether) {
  NodeTrace web("h1", "10.0.0.1"), db("h2", "10.0.0.2");
  web.Thread(10, "web").Flow(Ipv4(1, "10.0.0.1", 4000, "10.0.0.2", 80)).At(1_ms);
  web.Send(1, 10, 100);
  db.Origin(5'000'000'000)
      .Thread(20, "db")
      .Flow(Ipv4(2, "10.0.0.2", 80, "10.0.0.1", 4000))
      .At(1_ms);
  db.Send(2, 20, 7);
  for (NodeTrace* node : {&web, &db}) {
    pb::NodeClock* clock = node->session().mutable_node_clock();
    clock->set_node(node == &web ? "n1" : "n2");
    clock->set_reference("n1");
    if (node == &db) clock->add_offsets()->set_offset_ns(-5'000'000'000);
  }
  Write("n1", web);
  Write("n2", db);
  options_.interval_ns = 1'000'000'000;
  const Traffic traffic = Measure();
  EXPECT_EQ(traffic.clock, TrafficClock::kMeasured);
  EXPECT_EQ(PayloadBySpan(traffic), (std::map<std::string, uint64_t>{{"0", 107}}));
}

TEST_F(TrafficTest, FlowsNobodyDescribedAreALineOfTheirOwnAndLateDescriptionsCount) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web");
  node.At(1_ms);
  node.Send(9, 10, 100).Send(1, 10, 50);
  node.At(2_ms).Flow(Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 80));
  Write("n", node);
  const Traffic traffic = Measure();
  EXPECT_EQ(TableOf(traffic), (Table{{"(unknown flow) > (unknown flow)", {0, 0, 1}},
                                     {"n/web/10 > 10.9.9.9:80 (outside)", {50, 1, 1}}}));
  EXPECT_EQ(traffic.total.unknown_size_bytes, 100u + 52);
}

TEST_F(TrafficTest, NonsenseIsCountedWithoutHarm) {
  NodeTrace node("h1", "no address");
  node.session().mutable_interfaces(0)->add_addresses("::1");
  FlowRecord odd = Ipv4(1, "10.0.0.1", 4000, "10.9.9.9", 80);
  odd.family = FlowFamily::kUnknown;
  node.Flow(odd)
      .Flow(Ipv4(2, "0.0.0.0", 1, "0.0.0.0", 1))
      .Flow(Ipv4(2, "1.1.1.1", 1, "1.1.1.1", 1));
  node.At(1_ms);
  for (uint32_t flow = 0; flow < 3; ++flow) {
    for (const uint32_t bytes : {0u, 1u, 35u, 0xffffffffu}) {
      node.NetSend({.flow_id = flow, .bytes = bytes, .sequence = 0u - bytes, .tid = -5});
      node.NetReceive({.flow_id = flow, .bytes = bytes, .sequence = bytes, .tid = INT32_MAX});
    }
  }
  node.Loss(EventKind::kNetSend, UINT64_MAX).Loss(EventKind::kNetReceive, UINT64_MAX);
  node.WakeLike({.wakee_tid = -1, .device_kind = DeviceKind::kNic, .flow_id = 77});
  node.At(UINT64_MAX / 2).NetSend({.flow_id = 2, .bytes = 100});
  Write("n", node);
  for (const TrafficLevel level : {TrafficLevel::kProcess, TrafficLevel::kContainer,
                                   TrafficLevel::kHost, TrafficLevel::kRack}) {
    const Traffic traffic = Measure(level);
    EXPECT_GE(traffic.total.packets, 4u + 4 + 8);
    EXPECT_EQ(traffic.lost_packets, UINT64_MAX);
    EXPECT_LE(traffic.spans.size(), 24u);
  }
}

TEST_F(TrafficTest, PausesAreTold) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web").At(1_ms).Run(10);
  pb::Pause& pause = *node.session().add_pauses();
  pause.set_from_ns(node.session().start_time_ns() + 10);
  pause.set_to_ns(node.session().start_time_ns() + 111);
  Write("n", node);
  EXPECT_EQ(Measure().paused_ns, 100u);
}

TEST_F(TrafficTest, ARecordingWithoutPacketsIsEmpty) {
  NodeTrace node("h1", "10.0.0.1");
  node.Thread(10, "web").At(1_ms).Run(10);
  Write("n", node);
  const Traffic traffic = Measure();
  EXPECT_THAT(traffic.pairs, IsEmpty());
  EXPECT_TRUE(traffic.total.empty());
  options_.nodes[0].directory = dir_ / "missing";
  EXPECT_FALSE(MeasureTraffic(options_).ok());
  options_.nodes.clear();
  EXPECT_FALSE(MeasureTraffic(options_).ok());
}

}  // namespace
}  // namespace gordian::testing
