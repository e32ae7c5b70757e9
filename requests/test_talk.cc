// SPDX-License-Identifier: Apache-2.0
#include "requests/test_talk.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace gordian::testing {
namespace {

constexpr uint32_t kIpAndTcp = 52;  // with timestamps
constexpr uint32_t kEthernet = 14;

}  // namespace

TestTalk::TestTalk() {
  trace_.Origin(kOriginNs);
  eth_ = trace_.Interface("eth0");
  lo_ = trace_.Interface("lo");
}

uint32_t& TestTalk::Sequence(uint16_t from_port, uint16_t to_port) {
  const auto first = static_cast<uint32_t>(from_port * 1'000'003u);
  return sequences_.try_emplace({from_port, to_port}, first).first->second;
}

void TestTalk::Reconnect(uint16_t client_port, uint16_t server_port) {
  Sequence(client_port, server_port) += 1u << 30;
  Sequence(server_port, client_port) += 1u << 30;
}

uint32_t TestTalk::FlowId(uint16_t from_port, uint16_t to_port) {
  const auto number = static_cast<uint32_t>(flows_.size() + 1);
  const auto [place, is_new] = flows_.try_emplace({from_port, to_port}, number);
  if (!is_new) return place->second;
  FlowRecord flow{.flow_id = number,
                  .family = FlowFamily::kIpv4,
                  .protocol = 6,
                  .source_port = from_port,
                  .destination_port = to_port};
  flow.source[0] = 10;
  flow.destination[0] = 10;
  trace_.Flow(flow);
  return number;
}

TestTalk& TestTalk::Packet(uint16_t from_port, uint16_t to_port, uint32_t sequence, uint32_t bytes,
                           bool sent, int32_t tid) {
  const NetEvent packet = {.flow_id = FlowId(from_port, to_port),
                           .interface = tid != 0 && !sent ? lo_ : eth_,
                           .bytes = bytes,
                           .sequence = sequence,
                           .tid = tid,
                           .in_softirq = tid == 0};
  sent ? trace_.NetSend(packet) : trace_.NetReceive(packet);
  return *this;
}

TestTalk& TestTalk::Ask(uint16_t client_port, uint32_t bytes, int32_t tid, uint16_t server_port) {
  uint32_t& sequence = Sequence(client_port, server_port);
  const bool local = tid != 0;
  Packet(client_port, server_port, sequence, kIpAndTcp + bytes + (local ? kEthernet : 0), local,
         tid);
  sequence += bytes;
  // The kernel acknowledges.
  return Packet(server_port, client_port, Sequence(server_port, client_port), kIpAndTcp + kEthernet,
                true, 0);
}

TestTalk& TestTalk::Answer(uint16_t client_port, int32_t tid, uint32_t bytes, uint16_t server_port,
                           bool local) {
  uint32_t& sequence = Sequence(server_port, client_port);
  Packet(server_port, client_port, sequence, kIpAndTcp + kEthernet + bytes, true, tid);
  sequence += bytes;
  return Packet(client_port, server_port, Sequence(client_port, server_port),
                kIpAndTcp + (local ? kEthernet : 0), local, 0);
}

TestTalk& TestTalk::AnswerAgain(uint16_t client_port, uint32_t bytes) {
  return Packet(kServerPort, client_port, Sequence(kServerPort, client_port) - bytes,
                kIpAndTcp + kEthernet + bytes, true, 0);
}

const Timeline& TestTalk::Load() {
  const std::string folder = dir_ / "trace";
  if (!trace_.WriteSession(folder).ok()) std::abort();
  auto session = SessionReader::Open(folder);
  if (!session.ok()) std::abort();
  auto timeline = Timeline::Load(**session, {.threads = 1, .keep_packet_wakes = true}, {});
  if (!timeline.ok()) std::abort();
  timeline_ = *std::move(timeline);
  flow_tables_ = {timeline_.flows()};
  return timeline_;
}

FoundRequests TestTalk::Find(const RequestSearch& search) {
  if (timeline_.thread_count() == 0) Load();
  return FindRequests(timeline_, flow_tables_, search);
}

EntityId TestTalk::Id(const std::string& name) const {
  for (EntityId id = 0; id < timeline_.entities().size(); ++id)
    if (timeline_.entities()[id].name == name) return id;
  std::abort();
}

std::string TestTalk::NameOf(EntityId id) const {
  return id == kNobody ? "nobody" : timeline_.entities()[id].name;
}

std::string TestTalk::Story(const FoundRequests& found, const Request& request) {
  const RequestWalk walk(timeline_, found);
  RequestStepCounts counts;
  std::string story;
  for (const RequestStep& step : walk.StepsOf(request, counts)) {
    const bool is_own = step.kind <= RequestStepKind::kRunnable;
    absl::StrAppend(&story, story.empty() ? "" : " | ", (step.from_ns - kOriginNs) / 1000, "-",
                    (step.to_ns - kOriginNs) / 1000, " ",
                    std::string(kRequestStepNames[static_cast<size_t>(step.kind)]), " ",
                    NameOf(is_own ? step.thread : step.waits_for));
    if (step.cause == step.kind) continue;
    absl::StrAppend(&story, " (", std::string(kRequestStepNames[static_cast<size_t>(step.cause)]),
                    " ", NameOf(step.cause_thread), ")");
  }
  return story;
}

}  // namespace gordian::testing
