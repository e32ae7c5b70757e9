// SPDX-License-Identifier: Apache-2.0
#include "nodes/joined_nodes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "nodes/causality.h"
#include "nodes/join_plan.h"
#include "nodes/joining_steps.h"
#include "nodes/joint_time.h"
#include "nodes/messages.h"
#include "nodes/node_clocks.h"
#include "nodes/timeline_joiner.h"

namespace gordian {
namespace {

// Views of nodes as their clocks stand in a plan.
struct Views {
  Pauses pauses;
  std::vector<NodeView> of_node;
};

void SetViews(std::span<const NodeTimeline> nodes, const JoinPlan& plan, Views& views) {
  views.pauses = Pauses(plan.pauses);
  views.of_node.clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    views.of_node.push_back({.timeline = &nodes[i].timeline,
                             .clock = plan.nodes[i].to_reference,
                             .clock_bound_ns = plan.nodes[i].clock_bound_ns,
                             .pauses = &views.pauses,
                             .number = static_cast<uint32_t>(i)});
  }
}

std::vector<uint8_t> AreWrong(const std::vector<uint64_t>& contradictions) {
  std::vector<uint8_t> wrong;
  wrong.reserve(contradictions.size());
  for (const uint64_t count : contradictions) wrong.push_back(count != 0);
  return wrong;
}

// Where to find each node's messages: they come in order of nodes.
std::span<const Message> MessagesTo(uint32_t node, std::span<const Message> messages) {
  const auto begin = std::partition_point(messages.begin(), messages.end(),
                                          [&](const Message& m) { return m.to_node < node; });
  const auto end = std::partition_point(begin, messages.end(),
                                        [&](const Message& m) { return m.to_node == node; });
  return {begin, end};
}

std::vector<MovedNode> MoveAll(std::vector<NodeTimeline>& nodes, const JoinPlan& plan,
                               std::span<const Message> messages, int threads) {
  std::vector<MovedNode> moved(nodes.size());
  // Few nodes are shared out by their threads.
  const bool by_node = nodes.size() >= 4 * static_cast<size_t>(ThreadCount(threads));
  ParallelFor(by_node ? ThreadCount(threads) : 1, nodes.size(), [&](size_t i, int) {
    const auto number = static_cast<uint32_t>(i);
    moved[i] = TimelineJoiner(plan, number, MessagesTo(number, messages), by_node ? 1 : threads)
                   .Move(std::move(nodes[i].timeline));
  });
  return moved;
}

}  // namespace

bool AnyBound(const JoinPlan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(),
                     [](const PlannedNode& node) { return node.clock_bound_ns > 0; });
}

NodeClocks ClocksOf(std::span<const NodeFacts> nodes, const std::vector<uint64_t>& wrong) {
  std::vector<NodeClockInput> inputs;
  inputs.reserve(nodes.size());
  for (const NodeFacts& node : nodes) inputs.push_back({node.name, &node.session});
  return wrong.empty() ? ClocksOf(inputs) : ClocksOf(inputs, AreWrong(wrong));
}

JoinedNodes JoinNodes(std::vector<NodeTimeline> nodes, int threads,
                      const pb::Session* joint_pauses) {
  std::vector<NodeFacts> facts;
  facts.reserve(nodes.size());
  for (const NodeTimeline& node : nodes) facts.push_back(FactsOf(node.name, node.timeline));
  NodeClocks known = ClocksOf(facts, {});
  JoinPlan plan = PlanJoining(facts, known.bounds, joint_pauses);
  Views views;
  SetViews(nodes, plan, views);
  Column<Message> messages = MatchMessages(views.of_node, threads);
  ClockFindings found{.measured_bounds_ns = BoundsOf(plan),
                      .contradictions = std::vector<uint64_t>(nodes.size())};
  if (AnyBound(plan)) {
    const auto tighten = [&] {
      const uint64_t window_ns = CausalityWindowNs(facts, known.bounds);
      TightenByCausality(ShortestFlights(messages, facts, known.bounds, window_ns), known.bounds,
                         threads);
      return CountContradictions(messages, facts, known.bounds);
    };
    std::vector<WayCount> ways = tighten();
    const std::vector<uint64_t> wrong = WrongClocks(ways, known.bounds);
    const bool any_wrong = wrong != std::vector<uint64_t>(wrong.size());
    if (any_wrong) {
      // Once more from the beginning, as wrong bounds have gone into the bounds of others.
      known = ClocksOf(facts, wrong);
      plan = PlanJoining(facts, known.bounds, joint_pauses);
      SetViews(nodes, plan, views);
      messages = MatchMessages(views.of_node, threads);
      ways = tighten();
    }
    found.contradictions = ContradictionsByNode(ways, nodes.size());
    for (size_t i = 0; i < wrong.size(); ++i) found.contradictions[i] += wrong[i];
    plan = PlanJoining(facts, known.bounds, joint_pauses);
    SetViews(nodes, plan, views);
    // The tightened clocks show better which packets were sent too late.
    MatchAgain(views.of_node, threads, {messages.begin(), messages.end()});
  }
  plan.ways = WaysOf(messages);
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeTimeline& node : nodes) names.push_back(node.name);
  JoinedNodes joined =
      TimelineJoiner::Compose(plan, names, MoveAll(nodes, plan, messages, threads));
  TellClocks(facts, plan, known, found, joined);
  for (size_t i = 0; i < nodes.size(); ++i) joined.nodes[i].read_until_ns = nodes[i].read_until_ns;
  return joined;
}

std::vector<uint64_t> BoundsOf(const JoinPlan& plan) {
  std::vector<uint64_t> bounds_ns;
  bounds_ns.reserve(plan.nodes.size());
  for (const PlannedNode& node : plan.nodes) bounds_ns.push_back(node.clock_bound_ns);
  return bounds_ns;
}

void TellClocks(std::span<const NodeFacts> facts, const JoinPlan& plan, const NodeClocks& clocks,
                const ClockFindings& found, JoinedNodes& joined) {
  joined.reference = clocks.reference;
  joined.clocks = std::vector<ClockMap>(clocks.bounds.begin(), clocks.bounds.end());
  for (size_t i = 0; i < facts.size(); ++i) {
    JoinedNode& node = joined.nodes[i];
    node.is_clock_measured = clocks.is_measured[i] != 0;
    node.paused_ns = facts[i].pauses.total_ns();
    node.offset_ns = clocks.bounds[i].At(facts[i].start_ns).middle_ns();
    node.measured_bound_ns = found.measured_bounds_ns[i];
    node.bound_ns = plan.nodes[i].clock_bound_ns;
    node.contradictions = found.contradictions[i];
  }
  for (NodeLink& link : joined.links) {
    if (link.from != link.to)
      link.bound_ns = joined.nodes[link.from].bound_ns + joined.nodes[link.to].bound_ns;
  }
}

pb::Symbols JoinSymbols(const std::vector<pb::Symbols>& symbols,
                        const std::vector<StackIdMap>& stack_ids) {
  pb::Symbols joined;
  joined.add_text("");
  for (size_t node = 0; node < symbols.size() && node < stack_ids.size(); ++node) {
    const pb::Symbols& own = symbols[node];
    const auto first_text = static_cast<uint32_t>(joined.text_size());
    const auto first_frame = static_cast<uint32_t>(joined.frames_size());
    for (const std::string& text : own.text()) joined.add_text(text);
    const auto text = [&](uint32_t index) { return index == 0 ? 0 : first_text + index; };
    for (const pb::SymbolFrame& frame : own.frames()) {
      pb::SymbolFrame& added = *joined.add_frames();
      added = frame;
      added.set_function(text(frame.function()));
      added.set_file(text(frame.file()));
      added.set_module(text(frame.module()));
    }
    for (const pb::StackFrames& stack : own.stacks()) {
      const auto id = stack_ids[node].find(stack.stack_id());
      if (id == stack_ids[node].end()) continue;  // no sample has it
      pb::StackFrames& added = *joined.add_stacks();
      added.set_stack_id(id->second);
      added.set_spins(stack.spins());
      for (const uint32_t frame : stack.kernel()) added.add_kernel(first_frame + frame);
      for (const uint32_t frame : stack.user()) added.add_user(first_frame + frame);
    }
    joined.mutable_notes()->MergeFrom(own.notes());
    joined.mutable_counters()->MergeFrom(own.counters());
  }
  return joined;
}

}  // namespace gordian
