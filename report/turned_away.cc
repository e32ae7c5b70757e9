// SPDX-License-Identifier: Apache-2.0
#include "report/turned_away.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "base/time_units.h"
#include "report/finding_threads.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Linux' first time-out of a connection's first packet, and of the answer to it.
constexpr double kFirstRetryNs = kNsPerSecond;

// A packet that is sent again by a timer ends the wait: as the kernel sees it, a network interface
// does, a timer, or somebody unknown.
bool MayEndWithARetry(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kKinds = {"nic", "timer", "irq", "remote", "unknown"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

struct WaitsOfFinding {
  uint32_t node = 0;
  double count = 0;
  double all_ns = 0;
};

WaitsOfFinding WaitsBetween(uint32_t from, uint32_t to, const Waits& waits,
                            const std::vector<uint32_t>& vertex_of_entity, const TimeRange& range) {
  WaitsOfFinding found;
  ForEachThreadOf({from}, waits, vertex_of_entity, [&](EntityId id, const Entity& thread) {
    found.node = thread.node;
    ForEachSegmentOf(id, waits, range, [&](const ThreadSegment& segment, double length_ns) {
      if (segment.kind != SegmentKind::kWait || segment.waker >= vertex_of_entity.size() ||
          vertex_of_entity[segment.waker] != to)
        return;
      found.count += 1;
      found.all_ns += length_ns;
    });
  });
  return found;
}

// Each connection that is turned away is one wait, of a second at least.
bool Explains(const TurnedAway& away, const WaitsOfFinding& waits) {
  return waits.count > 0 && away.node == waits.node && away.times >= kMostOfTheTime * waits.count &&
         away.times * kFirstRetryNs >= kMostOfTheTime * waits.all_ns;
}

void TellTurnedAwayIn(const TurnedAway& away, pb::Finding& finding, pb::Report& report) {
  pb::FullAcceptQueue& told = *finding.mutable_accept_queue();
  told.set_socket(away.socket);
  told.set_backlog(away.backlog);
  told.set_full_share(away.full_share);
  told.set_turned_away(away.times);
  const std::string queue = away.socket.empty()
                                ? "an accept queue"
                                : absl::StrCat("the accept queue of ", CleanText(away.socket),
                                               absl::StrFormat(" (backlog %.0f)", away.backlog));
  const VertexNames names(report);
  SetTitle(absl::StrCat("Connections are turned away, as ", queue, " is full: ",
                        names.Phrase(finding.edge().from()), " can only try again a second later."),
           finding, report);
  PutFirst(
      absl::StrCat("The kernel turned connections away ",
                   FormatCount(static_cast<uint64_t>(std::llround(away.times)), "time"),
                   ". Who is turned away sends again after a second, then after two and four."),
      *finding.mutable_why());
  finding.clear_advice();
  finding.add_advice(
      "Make the queue longer (the backlog of listen, net.core.somaxconn), accept sooner, or keep "
      "connections open instead of making one for each request.");
  finding.clear_natural_fixes();
  finding.set_no_natural_fix_because("a replay does not know the queue");
}

}  // namespace

TurnedAway TurnedAwayOf(const SampledQueues& sampled, uint32_t node) {
  TurnedAway away{.node = node, .times = sampled.turned_away};
  const SampledQueue* full = nullptr;
  for (const SampledQueue& queue : sampled.queues) {
    if (queue.full_share == 0) continue;
    if (full != nullptr) return away;  // either may be the one
    full = &queue;
  }
  if (full == nullptr) return away;
  away.socket = full->socket;
  away.backlog = full->backlog;
  away.full_share = full->full_share;
  return away;
}

void TellTurnedAway(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const TurnedAway> nodes, pb::Report& report) {
  for (pb::Finding& finding : *report.mutable_findings()) {
    if (!finding.has_edge() || finding.has_accept_queue() ||
        finding.edge().to() >= static_cast<uint32_t>(report.vertices_size()) ||
        !MayEndWithARetry(report.vertices(static_cast<int>(finding.edge().to())).kind()))
      continue;
    const WaitsOfFinding found =
        WaitsBetween(finding.edge().from(), finding.edge().to(), waits, vertex_of_entity, range);
    const auto away = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const TurnedAway& node) { return Explains(node, found); });
    if (away != nodes.end()) TellTurnedAwayIn(*away, finding, report);
  }
}

}  // namespace gordian
