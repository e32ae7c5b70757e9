// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_clocks.h"

#include <map>
#include <utility>

#include "nodes/thresholds.h"

namespace gordian {
namespace {

struct Reference {
  std::string name;
  std::string boot_id;
  const pb::Session* session = nullptr;  // null: it is not among the nodes
};

// The reference's own session names itself, and has no measurements.
bool IsReference(const pb::NodeClock& clock) {
  return !clock.reference().empty() && clock.node() == clock.reference();
}

std::string BootIdOfReference(const pb::Session& session) {
  const pb::NodeClock& clock = session.node_clock();
  return IsReference(clock) ? session.host().boot_id() : clock.reference_boot_id();
}

Reference ChooseReference(const std::vector<NodeClockInput>& nodes) {
  std::map<std::pair<std::string, std::string>, int> uses;
  for (const NodeClockInput& node : nodes) {
    const pb::NodeClock& clock = node.session->node_clock();
    if (IsReference(clock) || !clock.offsets().empty())
      ++uses[{clock.reference(), BootIdOfReference(*node.session)}];
  }
  Reference chosen;
  int most = 0;
  for (const auto& [reference, count] : uses) {
    if (count <= most) continue;
    most = count;
    chosen = {reference.first, reference.second, nullptr};
  }
  if (most == 0) return {nodes[0].name, nodes[0].session->host().boot_id(), nodes[0].session};
  for (const NodeClockInput& node : nodes) {
    const pb::NodeClock& clock = node.session->node_clock();
    if (IsReference(clock) && clock.reference() == chosen.name &&
        BootIdOfReference(*node.session) == chosen.boot_id)
      chosen.session = node.session;
  }
  return chosen;
}

// CLOCK_REALTIME less CLOCK_MONOTONIC.
bool RealtimeOffset(const pb::Session* session, int64_t& offset_ns) {
  if (session == nullptr || session->clocks().empty()) return false;
  const pb::ClockPair& pair = session->clocks(0);
  offset_ns = pair.realtime_ns() - static_cast<int64_t>(pair.monotonic_ns());
  return true;
}

ClockBounds ByRealtime(const pb::Session& session, const Reference& reference) {
  int64_t here_ns = 0;
  int64_t there_ns = 0;
  const bool both =
      RealtimeOffset(&session, here_ns) && RealtimeOffset(reference.session, there_ns);
  return ClockBounds({{.time_ns = session.start_time_ns(),
                       .offset_ns = both ? here_ns - there_ns : 0,
                       .bound_ns = kUnmeasuredBoundNs}},
                     kUsualDriftPpb);
}

}  // namespace

NodeClocks ClocksOf(const std::vector<NodeClockInput>& nodes) {
  return ClocksOf(nodes, std::vector<uint8_t>(nodes.size()));
}

NodeClocks ClocksOf(const std::vector<NodeClockInput>& nodes,
                    const std::vector<uint8_t>& is_wrong) {
  const Reference reference = ChooseReference(nodes);
  NodeClocks clocks{.reference = reference.name};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeClockInput& node = nodes[i];
    const pb::NodeClock& clock = node.session->node_clock();
    const bool same_reference = clock.reference() == reference.name &&
                                BootIdOfReference(*node.session) == reference.boot_id;
    if (node.session == reference.session) {
      clocks.bounds.emplace_back();
      clocks.is_measured.push_back(1);
      continue;
    }
    if (same_reference && !clock.offsets().empty() && is_wrong[i] == 0) {
      std::vector<ClockBounds::Measured> measured;
      for (const pb::ClockOffset& offset : clock.offsets()) {
        measured.push_back({offset.monotonic_ns(), offset.offset_ns(), offset.bound_ns()});
      }
      clocks.bounds.emplace_back(std::move(measured),
                                 clock.drift_ppb() != 0 ? clock.drift_ppb() : kUsualDriftPpb);
      clocks.is_measured.push_back(1);
      continue;
    }
    const bool same_kernel =
        !reference.boot_id.empty() && node.session->host().boot_id() == reference.boot_id;
    clocks.bounds.push_back(same_kernel ? ClockBounds() : ByRealtime(*node.session, reference));
    clocks.is_measured.push_back(same_kernel);
  }
  return clocks;
}

}  // namespace gordian
