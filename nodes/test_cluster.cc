// SPDX-License-Identifier: Apache-2.0
#include "nodes/test_cluster.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace gordian::testing {
namespace {

constexpr uint32_t kSentHeaders = 66;  // with the interface's own
constexpr uint32_t kReceivedHeaders = 52;
constexpr const char* kKinds[] = {"unknown", "run", "runnable", "wait", "spin"};

}  // namespace

uint64_t TestCluster::Shown(const TestClock& clock, uint64_t time_ns) {
  return time_ns +
         static_cast<uint64_t>(static_cast<int64_t>(time_ns) * clock.drift_ppm / 1'000'000);
}

TraceBuilder& TestCluster::Node(const std::string& name, const TestClock& clock) {
  Member& member =
      members_.emplace_back(name, Member{.trace = {}, .clock = clock, .flows = {}}).second;
  member.trace.Origin(kBeginNs + static_cast<uint64_t>(clock.skew_ns));
  member.trace.Interface("eth0");
  pb::Session& session = member.trace.session();
  session.mutable_host()->set_boot_id("boot of " + name);
  session.mutable_host()->set_hostname("host-" + name);
  return member.trace;
}

TestCluster::Member& TestCluster::Of(const std::string& name) {
  for (auto& [known, member] : members_) {
    if (known == name) return member;
  }
  std::abort();
}

uint64_t TestCluster::Elapsed(const std::string& name, uint64_t from_ns, uint64_t to_ns) {
  return Shown(Of(name).clock, to_ns) - Shown(Of(name).clock, from_ns);
}

TraceBuilder& TestCluster::At(const std::string& name, uint64_t time_ns, uint16_t cpu) {
  Member& member = Of(name);
  return member.trace.Cpu(cpu).At(Shown(member.clock, time_ns));
}

void TestCluster::Flow(uint16_t from_port, uint16_t to_port, uint8_t protocol, FlowFamily family) {
  flows_[{from_port, to_port}] = {protocol, family};
}

uint32_t TestCluster::FlowId(const std::string& node, uint16_t from_port, uint16_t to_port) {
  Member& member = Of(node);
  const auto number = static_cast<uint32_t>(node[0] * 100 + member.flows.size() + 1);
  const auto [place, is_new] = member.flows.try_emplace({from_port, to_port}, number);
  if (!is_new) return place->second;
  const FlowKind kind = flows_.at({from_port, to_port});
  FlowRecord flow{.flow_id = number,
                  .family = kind.family,
                  .protocol = kind.protocol,
                  .source_port = from_port,
                  .destination_port = to_port};
  flow.source[0] = 10;
  flow.destination[0] = 10;
  flow.source[3] = static_cast<uint8_t>(from_port);
  flow.destination[3] = static_cast<uint8_t>(to_port);
  member.trace.Flow(flow);
  return number;
}

void TestCluster::Send(const std::string& node, uint16_t from_port, uint16_t to_port,
                       uint32_t sequence, uint32_t payload, int32_t tid) {
  const uint32_t flow = FlowId(node, from_port, to_port);
  Of(node).trace.NetSend({.flow_id = flow,
                          .interface = kInterface,
                          .bytes = kSentHeaders + payload,
                          .sequence = sequence,
                          .tid = tid,
                          .in_softirq = tid == 0});
}

void TestCluster::Receive(const std::string& node, uint16_t from_port, uint16_t to_port,
                          uint32_t sequence, uint32_t payload) {
  const uint32_t flow = FlowId(node, from_port, to_port);
  Of(node).trace.NetReceive({.flow_id = flow,
                             .interface = kInterface,
                             .bytes = kReceivedHeaders + payload,
                             .sequence = sequence,
                             .in_softirq = true});
}

void TestCluster::Deliver(const std::string& node, uint16_t from_port, uint16_t to_port,
                          uint32_t sequence, uint32_t payload, int32_t wakee) {
  Receive(node, from_port, to_port, sequence, payload);
  Of(node).trace.WakeFromNet(wakee, kInterface, FlowId(node, from_port, to_port));
}

void TestCluster::Measure(uint64_t end_ns, uint64_t interval_ns) {
  const std::string& reference = members_.front().first;
  for (auto& [name, member] : members_) {
    At(name, end_ns);
    if (!member.clock.measured) continue;
    pb::NodeClock& clock = *member.trace.session().mutable_node_clock();
    clock.set_node(name);
    clock.set_reference(reference);
    if (name == reference) continue;
    clock.set_reference_boot_id("boot of " + reference);
    clock.set_drift_ppb(250'000);
    for (uint64_t time_ns = 0; time_ns <= end_ns; time_ns += interval_ns) {
      const uint64_t shown_ns =
          kBeginNs + static_cast<uint64_t>(member.clock.skew_ns) + Shown(member.clock, time_ns);
      pb::ClockOffset& offset = *clock.add_offsets();
      offset.set_monotonic_ns(shown_ns);
      offset.set_offset_ns(static_cast<int64_t>(kBeginNs + time_ns) -
                           static_cast<int64_t>(shown_ns) + member.clock.error_ns);
      offset.set_bound_ns(member.clock.bound_ns);
    }
  }
}

void TestCluster::Write(const std::string& directory) {
  std::filesystem::create_directories(directory);
  for (auto& [name, member] : members_) {
    if (!member.trace.WriteSession(absl::StrCat(directory, "/", name)).ok()) std::abort();
  }
}

JoinedNodes TestCluster::Load(int threads) {
  const std::string run = absl::StrCat(dir_ / "run", written_++);
  Write(run);
  const auto sessions = FindNodeSessions(run);
  if (!sessions.ok()) std::abort();
  std::vector<std::string> skipped;
  auto joined = LoadNodes(*sessions, {.threads = threads}, {}, skipped);
  if (!joined.ok() || !skipped.empty()) std::abort();
  return *std::move(joined);
}

std::string StoryOf(const Timeline& timeline, const std::string& node, const std::string& thread) {
  std::string story;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    if (entity.name != thread || timeline.nodes()[entity.node] != node) continue;
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (at.start_ns() == at.end_ns()) continue;
      absl::StrAppend(&story, story.empty() ? "" : " | ",
                      (at.start_ns() - timeline.start_ns()) / 1000, " ",
                      kKinds[static_cast<int>(segment.kind)]);
      if (segment.waker == kNobody) continue;
      const Entity& waker = timeline.entities()[segment.waker];
      absl::StrAppend(
          &story, " ",
          waker.kind == EntityKind::kLink ? "" : absl::StrCat(timeline.nodes()[waker.node], "/"),
          waker.name);
    }
  }
  return story;
}

void BeginFrontAndDatabase(TestCluster& cluster) {
  for (const auto& [from, to] : {std::pair(kBrowser, kHttp), std::pair(kHttp, kBrowser),
                                 std::pair(kWeb, kDb), std::pair(kDb, kWeb)})
    cluster.Flow(from, to);
  cluster.At("web", 0).Run(1).Block(kSleep);
  cluster.At("db", 0).Run(2).Block(kSleep);
}

void AskFrontAndDatabase(TestCluster& cluster, uint64_t begin_ns, uint32_t sequence) {
  cluster.At("web", begin_ns);
  cluster.Deliver("web", kBrowser, kHttp, sequence, 100, 1);
  cluster.At("web", begin_ns).Run(1);
  cluster.At("web", begin_ns + 1_ms);
  cluster.Send("web", kWeb, kDb, sequence, 100, 1);
  cluster.At("web", begin_ns + 1_ms).Block(kSleep);
  cluster.At("db", begin_ns + 2_ms);
  cluster.Deliver("db", kWeb, kDb, sequence, 100, 2);
  cluster.At("db", begin_ns + 2_ms).Run(2);
  cluster.At("db", begin_ns + 7_ms);
  cluster.Send("db", kDb, kWeb, sequence, 100, 2);
  cluster.At("db", begin_ns + 7_ms).Block(kSleep);
  cluster.At("web", begin_ns + 8_ms);
  cluster.Deliver("web", kDb, kWeb, sequence, 100, 1);
  cluster.At("web", begin_ns + 8_ms).Run(1);
  cluster.At("web", begin_ns + 10_ms);
  cluster.Send("web", kHttp, kBrowser, sequence, 100, 1);
  cluster.At("web", begin_ns + 10_ms).Block(kSleep);
}

}  // namespace gordian::testing
