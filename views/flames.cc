// SPDX-License-Identifier: Apache-2.0
#include "views/flames.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/time_units.h"
#include "participation/recorded_rows.h"
#include "report/time_range.h"

namespace gordian {
namespace {

constexpr size_t kSamplesPerQuestion = 1 << 16;

struct StackWeight {
  double ns = 0;
  uint64_t samples = 0;
};
using StackWeights = absl::flat_hash_map<uint32_t, StackWeight>;  // by stack id

// A tree of frames while it is made.
class FlameTree {
 public:
  FlameTree() { nodes_.push_back({}); }

  void Add(const CodePath& innermost_first, const StackWeight& weight) {
    uint32_t at = 0;
    AddTo(at, weight);
    for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame) {
      const auto [place, is_new] = children_.try_emplace({at, *frame}, nodes_.size());
      if (is_new) {
        nodes_.push_back({.frame = *frame});
        nodes_[at].children.push_back(place->second);
      }
      at = place->second;
      AddTo(at, weight);
    }
    nodes_[at].own_ns += weight.ns;
  }

  // The heaviest nodes; a node's caller is heavier than it, or as heavy.
  Flame Tell() {
    std::vector<uint8_t> is_shown(nodes_.size());
    using Entry = std::pair<double, uint32_t>;
    std::priority_queue<Entry> next;
    next.push({nodes_[0].ns, 0});
    for (size_t shown = 0; !next.empty() && shown < kMostFlameNodes; ++shown) {
      const uint32_t node = next.top().second;
      next.pop();
      is_shown[node] = 1;
      for (const uint32_t child : nodes_[node].children) next.push({nodes_[child].ns, child});
    }
    Flame flame;
    flame.samples = nodes_[0].samples;
    TellNode(0, 0, is_shown, flame);
    return flame;
  }

 private:
  struct Node {
    uint32_t frame = 0;
    double ns = 0;
    double own_ns = 0;
    uint64_t samples = 0;
    std::vector<uint32_t> children;
  };

  void AddTo(uint32_t node, const StackWeight& weight) {
    nodes_[node].ns += weight.ns;
    nodes_[node].samples += weight.samples;
  }

  // As deep as a stack: kMostPathFrames.
  void TellNode(uint32_t node, uint32_t depth, const std::vector<uint8_t>& is_shown, Flame& flame) {
    const Node& from = nodes_[node];
    flame.nodes.push_back({depth, from.frame, from.ns, from.own_ns, from.samples});
    std::vector<uint32_t> children = from.children;
    std::sort(children.begin(), children.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(nodes_[b].ns, nodes_[a].frame) < std::tuple(nodes_[a].ns, nodes_[b].frame);
    });
    for (const uint32_t child : children) {
      if (is_shown[child] != 0) {
        TellNode(child, depth + 1, is_shown, flame);
      } else {
        flame.not_shown_ns += nodes_[child].ns;
      }
    }
  }

  std::vector<Node> nodes_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> children_;
};

// How long the wait that begins at that time overlaps the range; 0 if there is none.
uint64_t WaitWithin(const Timeline& timeline, EntityId thread, uint64_t start_ns,
                    const TimeRange& range) {
  SegmentCursor at = timeline.SegmentsFrom(thread, start_ns);
  while (!at.done() && at.start_ns() == start_ns && at.end_ns() == start_ns) at.Next();
  if (at.done() || at.start_ns() != start_ns || at.segment().kind != SegmentKind::kWait) return 0;
  const uint64_t from_ns = std::max(start_ns, range.from_ns);
  const uint64_t to_ns = std::min(at.end_ns(), range.to_ns);
  return to_ns > from_ns ? to_ns - from_ns : 0;
}

absl::StatusOr<StackWeights> WeighSamples(const Timeline& timeline, const FlameRequest& request,
                                          const TimeRange& range) {
  StackWeights weights;
  const uint32_t hz = timeline.session().options().sample_hz();
  const double running_ns = hz == 0 ? 0 : static_cast<double>(kNsPerSecond) / hz;
  size_t seen = 0;
  for (const StackSample& sample : timeline.stack_samples()) {
    if (++seen % kSamplesPerQuestion == 0 && request.stop_asked && request.stop_asked())
      return absl::CancelledError("the question was taken back");
    if (sample.thread >= request.is_asked.size() || request.is_asked[sample.thread] == 0) continue;
    const uint64_t time_ns = timeline.start_ns() + sample.since_start_ns;
    double ns = 0;
    if (request.kind == FlameKind::kRunning) {
      if (sample.moment() != StackMoment::kCpu || time_ns < range.from_ns || time_ns >= range.to_ns)
        continue;
      ns = running_ns;
    } else {
      if (sample.moment() != StackMoment::kWait || time_ns >= range.to_ns) continue;
      const uint64_t part_ns = WaitWithin(timeline, sample.thread, time_ns, range);
      ns = static_cast<double>(part_ns) * static_cast<double>(uint64_t{1} << sample.weight_log2);
    }
    if (!(ns > 0)) continue;
    StackWeight& weight = weights[sample.stack_id];
    weight.ns += ns;
    ++weight.samples;
  }
  return weights;
}

StackWeights WeighPaths(const Timeline& timeline, const FlameRequest& request,
                        const TimeRange& range) {
  const RecordedGraph graph = {
      .timeline = timeline, .is_target = request.is_asked, .keep_samples = true};
  const std::vector<WindowParticipation> windows = {
      ParticipationWithin(graph, range.from_ns, range.to_ns)};
  StackWeights weights;
  for (const CriticalStack& stack : CriticalStacks(graph, windows)) {
    StackWeight& weight = weights[stack.is_sampled ? stack.stack_id : 0];
    weight.ns += stack.ns;
    weight.samples += stack.samples;
  }
  return weights;
}

}  // namespace

absl::StatusOr<Flame> MakeFlame(const Timeline& timeline, const Code& code,
                                const FlameRequest& request) {
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), request.from_ns, request.to_ns);
  if (range.length_ns() == 0) return absl::InvalidArgumentError("the range holds no time");
  if (request.is_asked.size() != timeline.thread_count())
    return absl::InvalidArgumentError("a flame graph needs threads");
  absl::StatusOr<StackWeights> weights = StackWeights();
  if (request.kind == FlameKind::kCritical) {
    weights = WeighPaths(timeline, request, range);
  } else {
    weights = WeighSamples(timeline, request, range);
  }
  if (!weights.ok()) return weights.status();
  // In an order that does not depend on the table's.
  std::vector<std::pair<uint32_t, StackWeight>> sorted(weights->begin(), weights->end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const StackSide side =
      request.kind == FlameKind::kWaits ? StackSide::kWaiter : StackSide::kRunning;
  FlameTree tree;
  for (const auto& [stack_id, weight] : sorted) tree.Add(code.PathOf(stack_id, side), weight);
  return tree.Tell();
}

}  // namespace gordian
