// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/evidence.h"

#include <algorithm>
#include <span>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
namespace {

// Work under way, so the thread that does it is no background, however little of the CPUs it uses.
std::vector<char> FindThoseClientsWaitFor(const Measures& measures, const Target& target) {
  std::vector<char> found(measures.graph().vertices.size());
  for (const Edge& edge : measures.graph().edges) {
    const Vertex& from = measures.vertex(edge.from);
    if (!target.is_target[edge.to] || !IsOutsider(measures, target, edge.from) || from.recorder)
      continue;
    // A server that the target asks waits for the target's next question.
    found[edge.to] |= edge.count >= kManyWaits && measures.OwnShare(edge) >= kMostOfTheTime &&
                      !measures.Asks(edge.to, edge.from);
  }
  return found;
}

double WorkNs(const Measures& measures, const Target& target) {
  double work_ns = 0;
  for (const uint32_t id : target.workers) {
    work_ns += static_cast<double>(measures.vertex(id).active_ns());
  }
  return work_ns;
}

}  // namespace

Evidence::Evidence(const WaitForGraph& its_recording, const Measures& its_measures,
                   const VertexWords& its_words, const Scope& its_scope, const Target& its_target,
                   const FindingOptions& its_options)
    : recording(its_recording),
      measures(its_measures),
      words(its_words),
      scope(its_scope),
      target(its_target),
      options(its_options),
      waiters(FindWaiters(its_measures, its_scope)),
      work_ns(WorkNs(its_measures, its_target)),
      client_waits_(FindThoseClientsWaitFor(its_measures, its_target)) {}

bool Evidence::WaitsForAnswers(uint32_t id) const {
  return IsTarget(id) && ActiveNs(id) >= kMattersMuch * work_ns &&
         measures.AnswerShare(id) >= kMostOfTheTime;
}

bool Evidence::AsksByTheClock(uint32_t id) const {
  if (!IsTarget(id) || !measures.IsSleeper(id) || measures.TimerShare(id) < kMostOfTheTime ||
      ActiveNs(id) < kMattersMuch * work_ns)
    return false;
  const std::span<const Edge> waits = measures.edges_from(id);
  return std::any_of(waits.begin(), waits.end(),
                     [&](const Edge& wait) { return measures.Asks(id, wait.to); });
}

bool Evidence::IsRecordedThread(uint32_t id) const {
  if (!vertex(id).has_threads()) return false;
  return !options.recording.chains_end_at_targets() || IsTarget(id) ||
         measures.BusyShare(id) >= kMatters;
}

}  // namespace gordian
