// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "trace/session_reader.h"
#include "traffic/addresses.h"
#include "traffic/parties.h"
#include "traffic/traffic_parts.h"

namespace gordian {
namespace {

using Sessions = std::vector<std::unique_ptr<SessionReader>>;

uint64_t SaturatingSum(uint64_t a, uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

absl::StatusOr<Sessions> OpenAll(const TrafficOptions& options) {
  if (options.nodes.empty()) return absl::InvalidArgumentError("no recording was given");
  Sessions sessions;
  for (const TrafficNode& node : options.nodes) {
    auto session = SessionReader::Open(node.directory);
    if (!session.ok()) return session.status();
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

// All recorded times, on the common clock.
std::pair<uint64_t, uint64_t> TimeRange(std::span<const TrafficFacts> facts,
                                        const CommonClock& clock) {
  uint64_t start_ns = UINT64_MAX, end_ns = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    for (const BlockTimes& block : facts[i].blocks) {
      start_ns = std::min(start_ns, clock.shifts[i].Apply(block.first_ns));
      end_ns = std::max(end_ns, clock.shifts[i].Apply(block.last_ns));
    }
  }
  return start_ns > end_ns ? std::pair<uint64_t, uint64_t>(0, 0) : std::pair(start_ns, end_ns);
}

enum class CountedBy { kSender, kReceiver, kInPassing };

// One flow as one node saw it, with both its ends found.
struct View {
  size_t node = 0;
  const NodeFlow* flow = nullptr;
  size_t source_node = 0;
  size_t destination_node = 0;

  // Flows that are the same, although several nodes saw them. The addresses of a node's loopback
  // and of its containers may occur on others as well.
  auto Key() const { return std::tuple(flow->tuple, source_node, destination_node, Place()); }
  // Lower is better: the rank of a node's account of a flow.
  std::tuple<int, size_t> Rank() const {
    const bool sent = flow->sent.seen;
    if (node == source_node && sent) return {0, node};
    if (node == destination_node && !sent) return {1, node};
    return {node == source_node || node == destination_node ? 2 : 3, node};
  }
  CountedBy By() const {
    if (node == source_node && flow->sent.seen) return CountedBy::kSender;
    if (node == destination_node && flow->received.seen) return CountedBy::kReceiver;
    return CountedBy::kInPassing;
  }
  const FlowSide& Side() const {
    return By() == CountedBy::kReceiver || !flow->sent.seen ? flow->received : flow->sent;
  }

 private:
  // Between the ends of one node: that node. Anywhere else there is one such flow.
  size_t Place() const { return source_node == destination_node ? source_node : kOutsideNode; }
};

class Join {
 public:
  Join(const TrafficOptions& options, std::span<const TrafficFacts> facts,
       std::span<const NodeTraffic* const> nodes, Traffic& traffic)
      : nodes_(nodes), book_(nodes), parties_(options.level, options.nodes), traffic_(traffic) {
    for (const TrafficFacts& of_node : facts) parties_.AddSession(of_node.session);
  }
  void Run();

 private:
  using PairKey = std::pair<uint32_t, uint32_t>;

  const TrafficProcess* Owner(size_t node, const FlowTuple& sends) const;
  uint32_t PartyAt(size_t node, const HostAddress& address, uint16_t port, uint16_t peer_port,
                   const FlowTuple& sends);
  void CountFlow(const View& view);
  void CountCell(uint32_t from, uint32_t to, const TrafficCell& cell);
  void WritePairs();

  const std::span<const NodeTraffic* const> nodes_;
  const AddressBook book_;
  Parties parties_;
  Traffic& traffic_;
  std::map<PairKey, std::map<uint32_t, TrafficAmount>> amounts_;
};

// The process that sends on that flow, or is woken by its answers; null: not known.
const TrafficProcess* Join::Owner(size_t node, const FlowTuple& sends) const {
  const NodeFlow* out = nodes_[node]->Find(sends);
  const NodeFlow* in = nodes_[node]->Find(sends.Mirrored());
  uint32_t process = out == nullptr ? kNoProcess : out->writer;
  if (process == kNoProcess && in != nullptr) process = in->reader;
  return process == kNoProcess ? nullptr : &nodes_[node]->processes[process];
}

uint32_t Join::PartyAt(size_t node, const HostAddress& address, uint16_t port, uint16_t peer_port,
                       const FlowTuple& sends) {
  if (node == kOutsideNode) return parties_.Outside(address, port, peer_port);
  return parties_.Local(node, Owner(node, sends));
}

void Join::CountCell(uint32_t from, uint32_t to, const TrafficCell& cell) {
  amounts_[{from, to}][cell.span] += cell.amount;
}

void Join::CountFlow(const View& view) {
  const FlowTuple& tuple = view.flow->tuple;
  const uint32_t owner =
      PartyAt(view.source_node, tuple.source, tuple.source_port, tuple.destination_port, tuple);
  const uint32_t to = PartyAt(view.destination_node, tuple.destination, tuple.destination_port,
                              tuple.source_port, tuple.Mirrored());
  uint64_t payload_bytes = 0;
  for (const TrafficCell& cell : view.Side().cells) {
    const bool sender_known = view.By() == CountedBy::kSender && cell.process != kNoProcess;
    const uint32_t from =
        sender_known ? parties_.Local(view.source_node, &nodes_[view.node]->processes[cell.process])
                     : owner;
    CountCell(from, to, cell);
    payload_bytes = SaturatingSum(payload_bytes, cell.amount.payload_bytes);
  }
  ++traffic_.flows;
  uint64_t& by = view.By() == CountedBy::kSender     ? traffic_.by_sender_bytes
                 : view.By() == CountedBy::kReceiver ? traffic_.by_receiver_bytes
                                                     : traffic_.in_passing_bytes;
  by = SaturatingSum(by, payload_bytes);
}

void Join::WritePairs() {
  std::set<uint32_t> used;
  for (auto& [key, spans] : amounts_) {
    TrafficPair pair{.from = key.first, .to = key.second};
    for (const auto& [span, amount] : spans) {
      pair.amount += amount;
      pair.spans.push_back({span, amount});
      used.insert(span);
    }
    traffic_.total += pair.amount;
    traffic_.pairs.push_back(std::move(pair));
  }
  traffic_.parties = parties_.Take();
  std::stable_sort(traffic_.pairs.begin(), traffic_.pairs.end(),
                   [](const TrafficPair& a, const TrafficPair& b) {
                     return std::tuple(a.amount.payload_bytes, a.amount.ip_bytes) >
                            std::tuple(b.amount.payload_bytes, b.amount.ip_bytes);
                   });
  // Those of other kinds stand last, so the others keep their numbers if they go from the end.
  std::vector<uint32_t> number(traffic_.spans.size());
  std::vector<TrafficSpan> kept;
  for (uint32_t i = 0; i < traffic_.spans.size(); ++i) {
    number[i] = static_cast<uint32_t>(kept.size());
    if (traffic_.spans[i].kind == SpanKind::kPlain || used.contains(i))
      kept.push_back(std::move(traffic_.spans[i]));
  }
  traffic_.spans = std::move(kept);
  for (TrafficPair& pair : traffic_.pairs)
    for (SpanAmount& amount : pair.spans) amount.span = number[amount.span];
}

void Join::Run() {
  std::vector<View> views;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    for (const NodeFlow& flow : nodes_[node]->flows) {
      if (!flow.sent.seen && !flow.received.seen) continue;
      views.push_back({.node = node,
                       .flow = &flow,
                       .source_node = book_.NodeOf(flow.tuple.source, node),
                       .destination_node = book_.NodeOf(flow.tuple.destination, node)});
    }
  }
  std::sort(views.begin(), views.end(), [](const View& a, const View& b) {
    return std::tuple(a.Key(), a.Rank()) < std::tuple(b.Key(), b.Rank());
  });
  for (size_t i = 0; i < views.size(); ++i)
    if (i == 0 || views[i].Key() != views[i - 1].Key()) CountFlow(views[i]);
  for (const NodeTraffic* node : nodes_) {
    const uint32_t unknown = node->unknown_flows.empty() ? 0 : parties_.UnknownFlow();
    for (const TrafficCell& cell : node->unknown_flows) CountCell(unknown, unknown, cell);
    traffic_.seen_again_packets += node->seen_again_packets;
    traffic_.other_flows_packets += node->other_flows_packets;
    traffic_.lost_packets = SaturatingSum(traffic_.lost_packets, node->lost_packets);
    traffic_.paused_ns = SaturatingSum(traffic_.paused_ns, node->paused_ns);
  }
  WritePairs();
}

}  // namespace

TrafficAmount& TrafficAmount::operator+=(const TrafficAmount& other) {
  for (uint64_t TrafficAmount::*field :
       {&TrafficAmount::payload_bytes, &TrafficAmount::ip_bytes, &TrafficAmount::packets,
        &TrafficAmount::messages, &TrafficAmount::empty_packets, &TrafficAmount::repeated_packets,
        &TrafficAmount::repeated_bytes, &TrafficAmount::unseen_bytes,
        &TrafficAmount::unknown_size_bytes}) {
    this->*field = SaturatingSum(this->*field, other.*field);
  }
  return *this;
}

TrafficFacts TrafficFactsOf(const SessionReader& session) {
  TrafficFacts facts{.session = session.session(), .blocks = {}};
  for (const auto& stream : session.cpus()) {
    for (const BlockInfo& block : stream->blocks())
      facts.blocks.push_back({block.first_time_ns, block.last_time_ns});
  }
  return facts;
}

absl::StatusOr<TrafficPlan> PlanTraffic(const TrafficOptions& options,
                                        std::span<const TrafficFacts> facts) {
  std::vector<const pb::Session*> sessions;
  for (const TrafficFacts& of_node : facts) sessions.push_back(&of_node.session);
  TrafficPlan plan;
  plan.clock = FindCommonClock(sessions);
  std::tie(plan.start_ns, plan.end_ns) = TimeRange(facts, plan.clock);
  absl::StatusOr<SpanPlan> spans = PlanSpans(options, plan.clock, plan.start_ns, plan.end_ns);
  if (!spans.ok()) return spans.status();
  plan.spans = *std::move(spans);
  return plan;
}

TrafficPart ReadTrafficPart(SessionReader& session, const ClockShift& shift, const SpanPlan& plan,
                            size_t node) {
  TrafficPart part{.traffic = ReadNodeTraffic(session, shift, plan, node)};
  part.corrupt_blocks = session.damage().corrupt_blocks;
  return part;
}

Traffic JoinTraffic(const TrafficOptions& options, std::span<const TrafficFacts> facts,
                    const TrafficPlan& plan, const std::vector<TrafficPart>& parts) {
  Traffic traffic{.spans = plan.spans.spans,
                  .clock = plan.clock.kind,
                  .clock_bound_ns = plan.clock.bound_ns,
                  .start_ns = plan.start_ns,
                  .end_ns = plan.end_ns};
  std::vector<const NodeTraffic*> nodes;
  nodes.reserve(parts.size());
  for (const TrafficPart& part : parts) nodes.push_back(&part.traffic);
  Join(options, facts, nodes, traffic).Run();
  for (const TrafficPart& part : parts) traffic.corrupt_blocks += part.corrupt_blocks;
  for (const TrafficFacts& of_node : facts)
    traffic.nodes_in_part += of_node.session.chains_end_at_targets() ? 1 : 0;
  return traffic;
}

absl::StatusOr<Traffic> MeasureTraffic(const TrafficOptions& options) {
  absl::StatusOr<Sessions> sessions = OpenAll(options);
  if (!sessions.ok()) return sessions.status();
  std::vector<TrafficFacts> facts;
  for (const auto& session : *sessions) facts.push_back(TrafficFactsOf(*session));
  const absl::StatusOr<TrafficPlan> plan = PlanTraffic(options, facts);
  if (!plan.ok()) return plan.status();
  std::vector<TrafficPart> parts(sessions->size());
  ParallelFor(ThreadCount(options.threads), parts.size(), [&](size_t node, int) {
    parts[node] = ReadTrafficPart(*(*sessions)[node], plan->clock.shifts[node], plan->spans, node);
  });
  return JoinTraffic(options, facts, *plan, parts);
}

}  // namespace gordian
