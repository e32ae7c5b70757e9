// SPDX-License-Identifier: Apache-2.0
#include "nodes/joined_nodes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "nodes/causality.h"
#include "nodes/joint_time.h"
#include "nodes/messages.h"
#include "nodes/node_clocks.h"
#include "nodes/timeline_joiner.h"

namespace gordian {
namespace {

// All that follows from how the clocks stand.
struct Clocks {
  std::vector<ClockMap> maps;  // of the nodes' own clocks
  pb::Session pauses_on_clock;
  Pauses pauses;
  std::vector<NodeView> views;  // of what is here
};

void SetClocks(std::span<const Timeline* const> nodes, const std::vector<ClockBounds>& bounds,
               const pb::Session* joint_pauses, Clocks& clocks) {
  clocks.maps = std::vector<ClockMap>(bounds.begin(), bounds.end());
  clocks.pauses_on_clock =
      joint_pauses != nullptr ? *joint_pauses : JointPauses(nodes, clocks.maps);
  clocks.pauses = Pauses(clocks.pauses_on_clock, 0);
  clocks.views.clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Pauses& own = nodes[i]->pauses();
    clocks.views.push_back(
        {.timeline = nodes[i],
         .clock = TimelineToReference(*nodes[i], clocks.maps[i]),
         .clock_bound_ns = bounds[i].BoundWithin(own.ClockTime(nodes[i]->start_ns()),
                                                 own.ClockTime(nodes[i]->end_ns())),
         .pauses = &clocks.pauses});
  }
}

bool AnyBound(const std::vector<NodeView>& views) {
  return std::any_of(views.begin(), views.end(),
                     [](const NodeView& view) { return view.clock_bound_ns > 0; });
}

std::vector<uint8_t> AreWrong(const std::vector<uint64_t>& contradictions) {
  std::vector<uint8_t> wrong;
  wrong.reserve(contradictions.size());
  for (const uint64_t count : contradictions) wrong.push_back(count != 0);
  return wrong;
}

}  // namespace

JoinedNodes JoinNodes(std::vector<NodeTimeline> nodes, int threads,
                      const pb::Session* joint_pauses) {
  std::vector<NodeClockInput> clock_inputs;
  clock_inputs.reserve(nodes.size());
  for (const NodeTimeline& node : nodes)
    clock_inputs.push_back({node.name, &node.timeline.session()});
  NodeClocks known = ClocksOf(clock_inputs);
  std::vector<const Timeline*> timelines;
  for (const NodeTimeline& node : nodes) timelines.push_back(&node.timeline);
  Clocks clocks;
  SetClocks(timelines, known.bounds, joint_pauses, clocks);
  std::vector<Message> messages = MatchMessages(clocks.views, threads);
  std::vector<uint64_t> measured_bounds_ns;
  measured_bounds_ns.reserve(nodes.size());
  for (const NodeView& view : clocks.views) measured_bounds_ns.push_back(view.clock_bound_ns);
  std::vector<uint64_t> contradictions(nodes.size());
  if (AnyBound(clocks.views)) {
    contradictions = TightenByCausality(messages, timelines, known.bounds);
    const std::vector<uint64_t> wrong = WrongClocks(messages, timelines, known.bounds);
    if (wrong != std::vector<uint64_t>(wrong.size())) {
      // Once more from the beginning, as wrong bounds have gone into the bounds of others.
      known = ClocksOf(clock_inputs, AreWrong(wrong));
      SetClocks(timelines, known.bounds, joint_pauses, clocks);
      messages = MatchMessages(clocks.views, threads);
      contradictions = TightenByCausality(messages, timelines, known.bounds);
      for (size_t i = 0; i < wrong.size(); ++i) contradictions[i] += wrong[i];
    }
    SetClocks(timelines, known.bounds, joint_pauses, clocks);
    // The tightened clocks show better which packets were sent too late.
    MatchAgain(clocks.views, threads, messages);
  }
  std::vector<uint64_t> paused_ns;
  paused_ns.reserve(nodes.size());
  for (const Timeline* node : timelines) paused_ns.push_back(node->pauses().total_ns());
  std::vector<int64_t> offsets_ns;
  offsets_ns.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    offsets_ns.push_back(known.bounds[i].At(nodes[i].timeline.start_ns()).middle_ns());
  }
  JoinedNodes joined =
      TimelineJoiner(nodes, clocks.views, clocks.pauses_on_clock, std::move(messages), threads)
          .Join();
  joined.reference = known.reference;
  joined.clocks = std::move(clocks.maps);
  for (size_t i = 0; i < nodes.size(); ++i) {
    JoinedNode& node = joined.nodes[i];
    node.is_clock_measured = known.is_measured[i] != 0;
    node.paused_ns = paused_ns[i];
    node.offset_ns = offsets_ns[i];
    node.measured_bound_ns = measured_bounds_ns[i];
    node.bound_ns = clocks.views[i].clock_bound_ns;
    node.contradictions = contradictions[i];
    node.read_until_ns = nodes[i].read_until_ns;
  }
  for (NodeLink& link : joined.links) {
    if (link.from != link.to)
      link.bound_ns = joined.nodes[link.from].bound_ns + joined.nodes[link.to].bound_ns;
  }
  return joined;
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
