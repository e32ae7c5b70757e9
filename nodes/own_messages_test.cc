// SPDX-License-Identifier: Apache-2.0
#include "nodes/own_messages.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using testing::operator""_ms;
using testing::operator""_us;

constexpr uint32_t kClientSide = kFirstForeignInterface;
constexpr uint32_t kServerSide = kFirstForeignInterface + 1;
constexpr uint32_t kSentHeaders = 66;
constexpr uint32_t kReceivedHeaders = 52;

FlowRecord FlowFrom(uint32_t id, uint8_t host, uint16_t port, uint8_t to_host, uint16_t to_port,
                    uint8_t protocol = 6) {
  FlowRecord flow{.flow_id = id,
                  .family = FlowFamily::kIpv4,
                  .protocol = protocol,
                  .source_port = port,
                  .destination_port = to_port};
  flow.source[0] = flow.destination[0] = 10;
  flow.source[3] = host;
  flow.destination[3] = to_host;
  return flow;
}

void SendPacket(TraceBuilder& t, uint32_t flow, uint32_t interface, uint32_t sequence,
                int32_t tid) {
  t.NetSend({.flow_id = flow,
             .interface = interface,
             .bytes = kSentHeaders + 100,
             .sequence = sequence,
             .tid = tid,
             .in_softirq = tid == 0});
}

void DeliverPacket(TraceBuilder& t, uint32_t flow, uint32_t interface, uint32_t sequence,
                   int32_t wakee) {
  t.NetReceive({.flow_id = flow,
                .interface = interface,
                .bytes = kReceivedHeaders + 100,
                .sequence = sequence,
                .in_softirq = true});
  t.WakeFromNet(wakee, interface, flow);
}

// "0 wait server | 500 runnable | …", in microseconds since the recording's start.
std::string StoryWithin(TraceBuilder& trace, const std::string& thread, int threads = 1) {
  TempDir dir;
  EXPECT_TRUE(trace.WriteSession(dir / "trace").ok());
  auto session = SessionReader::Open(dir / "trace");
  auto timeline = Timeline::Load(**session, {.threads = threads, .keep_packet_wakes = true}, {});
  EXPECT_TRUE(timeline.ok());
  MatchOwnMessages(*timeline, threads);
  EXPECT_TRUE(timeline->packet_wakes().empty());
  constexpr const char* kKinds[] = {"unknown", "run", "runnable", "wait", "spin"};
  std::string story;
  for (EntityId id = 0; id < timeline->thread_count(); ++id) {
    if (timeline->entities()[id].name != thread) continue;
    for (SegmentCursor at = timeline->SegmentsFrom(id); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (at.start_ns() == at.end_ns()) continue;
      absl::StrAppend(&story, story.empty() ? "" : " | ",
                      (at.start_ns() - timeline->start_ns()) / 1000, " ",
                      kKinds[static_cast<int>(segment.kind)]);
      if (segment.waker != kNobody)
        absl::StrAppend(&story, " ", timeline->entities()[segment.waker].name);
    }
  }
  return story;
}

void Name(TraceBuilder& t, uint32_t number, const std::string& name, const std::string& space) {
  pb::Interface& interface = *t.session().add_interfaces();
  interface.set_index(number);
  interface.set_name(name);
  interface.set_network_namespace(4026532000 + number - kFirstForeignInterface);
  interface.set_index_in_namespace(3);
  interface.set_namespace_name(space);
}

// A client that waits, a server that answers, each in a namespace; a kernel thread delivers.
TraceBuilder TwoNamespaces() {
  TraceBuilder t;
  t.Thread(10, "client").Thread(20, "server").KernelThread(30, "ksoftirqd/1");
  Name(t, kClientSide, "eth0", "front");
  Name(t, kServerSide, "eth0", "back");
  t.At(0).Cpu(0).Run(20);
  t.At(0).Cpu(1).Run(30);
  return t;
}

TEST(OwnMessages, WaitForAPacketIsForTheThreadThatSentIt) {
  TraceBuilder t = TwoNamespaces();
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(2_ms).Cpu(0);
  SendPacket(t, 1, kServerSide, 5000, 20);
  t.At(2500_us).Cpu(1);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run");
  EXPECT_EQ(StoryWithin(t, "client", 3), StoryWithin(t, "client"));
}

TEST(OwnMessages, PacketsWithoutASenderStayWithTheInterface) {
  TraceBuilder t = TwoNamespaces();
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(2500_us).Cpu(1);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"), "0 wait eth0 of front | 2500 runnable | 3000 run");
}

// Between the service's address and the server's the kernel replaces the one by the other.
TEST(OwnMessages, TranslatedFlowsAreTheFlowsTheyComeFrom) {
  for (const bool told : {false, true}) {
    TraceBuilder t = TwoNamespaces();
    t.Flow(FlowFrom(1, 2, 80, 1, 40000));  // server → client, as sent
    FlowRecord translated = FlowFrom(2, 99, 443, 1, 40000);
    t.Flow(translated);
    if (told) {
      translated.origin_flow_id = 1;
      t.Flow(translated);
    }
    t.At(2_ms).Cpu(0);
    SendPacket(t, 1, kServerSide, 5000, 20);
    t.At(2500_us).Cpu(1);
    DeliverPacket(t, 2, kClientSide, 5000, 10);
    t.At(3_ms).Run(10);
    t.At(4_ms);
    EXPECT_EQ(StoryWithin(t, "client"),
              told ? "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run"
                   : "0 wait eth0 of front | 2500 runnable | 3000 run");
  }
}

TEST(OwnMessages, CirclesAndGapsOfTranslationsEnd) {
  TraceBuilder t = TwoNamespaces();
  FlowRecord first = FlowFrom(1, 2, 80, 1, 40000);
  FlowRecord second = FlowFrom(2, 99, 443, 1, 40000);
  FlowRecord third = FlowFrom(3, 98, 443, 1, 40000);
  first.origin_flow_id = 2;
  second.origin_flow_id = 3;
  third.origin_flow_id = 1;
  FlowRecord own = FlowFrom(4, 97, 443, 1, 40000);
  own.origin_flow_id = 4;
  FlowRecord lost = FlowFrom(5, 96, 443, 1, 40000);
  lost.origin_flow_id = 77;
  for (const FlowRecord& flow : {first, second, third, own, lost}) t.Flow(flow);
  t.At(2_ms).Cpu(0);
  SendPacket(t, 1, kServerSide, 5000, 20);
  t.At(2500_us).Cpu(1);
  DeliverPacket(t, 3, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run");
}

// Two containers may have the same addresses and ports, in networks that do not meet. Then the
// bytes' numbers tell them apart, as they begin at random.
TEST(OwnMessages, EqualFlowsOfSeparateNetworksDifferInTheirBytes) {
  TraceBuilder t;
  t.Thread(10, "client").Thread(20, "server").Thread(21, "stranger").KernelThread(30, "ksoftirqd");
  Name(t, kClientSide, "eth0", "front");
  Name(t, kServerSide, "eth0", "back");
  t.At(0).Cpu(0).Run(20);
  t.At(0).Cpu(1).Run(30);
  t.At(0).Cpu(2).Run(21);
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(2_ms).Cpu(0);
  SendPacket(t, 1, kServerSide, 5000, 20);
  t.At(2200_us).Cpu(2);
  SendPacket(t, 1, kFirstForeignInterface + 7, 700'000'000, 21);
  t.At(2500_us).Cpu(1);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run");
}

// A port that is used again: the bytes of the connection before are long past.
TEST(OwnMessages, ReusedPortsAreMatchedByTheLatestBytes) {
  TraceBuilder t = TwoNamespaces();
  t.Thread(22, "before");
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(100_us).Cpu(2).Run(22);
  SendPacket(t, 1, kServerSide, 5000, 22);
  t.At(200_us).Exit(22).Switch(22, 0, testing::kDead);
  t.At(2_ms).Cpu(0);
  SendPacket(t, 1, kServerSide, 5000, 20);
  t.At(2500_us).Cpu(1);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run");
}

// A receipt is missing, and a number is used again: the latest datagram with it is meant.
TEST(OwnMessages, NumberedDatagramsAreFoundThoughAReceiptIsMissing) {
  for (const uint32_t number : {0u, 77u}) {
    TraceBuilder t = TwoNamespaces();
    t.Flow(FlowFrom(1, 2, 53, 1, 40000, /*protocol=*/17));
    t.At(500_us).Cpu(0);
    SendPacket(t, 1, kServerSide, number, 20);
    t.At(1_ms);
    SendPacket(t, 1, kServerSide, number == 0 ? 0 : 78, 20);
    t.At(2_ms);
    SendPacket(t, 1, kServerSide, number, 20);
    t.At(2500_us).Cpu(1);
    DeliverPacket(t, 1, kClientSide, number, 10);
    t.At(3_ms).Run(10);
    t.At(4_ms);
    EXPECT_EQ(StoryWithin(t, "client"),
              number != 0 ? "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run"
                          : "0 wait server | 500 wait eth0 of front | 2500 runnable | 3000 run");
  }
}

// A packet passes three interfaces: each sends or receives it again, for no thread.
TEST(OwnMessages, BridgesOnTheWaySendForNobody) {
  TraceBuilder t = TwoNamespaces();
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(2_ms).Cpu(0);
  SendPacket(t, 1, kServerSide, 5000, 20);
  t.At(2400_us).Cpu(1);
  t.NetReceive({.flow_id = 1,
                .interface = 5,
                .bytes = kReceivedHeaders + 100,
                .sequence = 5000,
                .in_softirq = true});
  t.At(2450_us);
  SendPacket(t, 1, 6, 5000, 0);
  t.At(2500_us);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(3_ms).Run(10);
  t.At(4_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 2500 runnable | 3000 run");
}

// Several waits of one thread, some cut and some not: all time stays accounted for.
TEST(OwnMessages, WaitsThatAreNotCutStayAsTheyAre) {
  TraceBuilder t = TwoNamespaces();
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  for (uint64_t i = 0; i < 3; ++i) {
    t.At(i * 10_ms + 2_ms).Cpu(0);
    if (i != 1) SendPacket(t, 1, kServerSide, 5000 + 100 * static_cast<uint32_t>(i), 20);
    t.At(i * 10_ms + 3_ms).Cpu(1);
    DeliverPacket(t, 1, kClientSide, 5000 + 100 * static_cast<uint32_t>(i), 10);
    t.At(i * 10_ms + 4_ms).Run(10);
    t.At(i * 10_ms + 5_ms).Block(testing::kSleep, 30);
  }
  t.At(30_ms);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait server | 2000 wait eth0 of front | 3000 runnable | 4000 run | "
            "5000 wait eth0 of front | 13000 runnable | 14000 run | "
            "15000 wait server | 22000 wait eth0 of front | 23000 runnable | 24000 run | "
            "25000 wait");
}

TEST(OwnMessages, InterfacesOfNamespacesThatAreGoneSaySo) {
  TraceBuilder t;
  t.Thread(10, "client").KernelThread(30, "ksoftirqd/1");
  Name(t, kClientSide, "", "");
  Name(t, kServerSide, "veth1", "");
  t.Flow(FlowFrom(1, 2, 80, 1, 40000));
  t.At(0).Cpu(1).Run(30);
  t.At(1_ms);
  DeliverPacket(t, 1, kClientSide, 5000, 10);
  t.At(2_ms).Run(10);
  t.At(3_ms).Block(testing::kSleep, 30);
  t.At(4_ms);
  DeliverPacket(t, 1, kServerSide, 5100, 10);
  t.At(5_ms).Run(10);
  t.At(6_ms).Block(testing::kSleep, 30);
  t.At(7_ms);
  DeliverPacket(t, 1, kFirstForeignInterface + 9, 5200, 10);
  EXPECT_EQ(StoryWithin(t, "client"),
            "0 wait interface 3 of a network namespace that is gone | 1000 runnable | 2000 run | "
            "3000 wait veth1 of network namespace 4026532001 | 4000 runnable | 5000 run | "
            "6000 wait interface #9 of another network namespace");
}

}  // namespace
}  // namespace gordian
