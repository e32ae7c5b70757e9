// SPDX-License-Identifier: Apache-2.0
// The evidence of a judgement: the graph, its measures, the scope and the target.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/findings/evidence/finding_options.h"
#include "analyzer/findings/evidence/measures.h"
#include "analyzer/findings/evidence/scope.h"
#include "analyzer/findings/evidence/target.h"
#include "analyzer/findings/evidence/waiters.h"
#include "analyzer/findings/evidence/words.h"

namespace gordian {

class Evidence {
 public:
  // All must outlive it.
  Evidence(const WaitForGraph& recording, const Measures& measures, const VertexWords& words,
           const Scope& scope, const Target& target, const FindingOptions& options);

  const WaitForGraph& recording;
  const Measures& measures;
  const VertexWords& words;
  const Scope& scope;
  const Target& target;
  const FindingOptions& options;

  const std::vector<WaitedFor> waiters;  // by vertex
  const double work_ns;                  // of the target's workers

  const Vertex& vertex(uint32_t id) const { return measures.vertex(id); }
  bool IsTarget(uint32_t id) const { return target.is_target[id] != 0; }
  bool IsHeldUpFor(double waited_for) const {
    return waited_for > 0 && waited_for >= options.threshold;
  }
  // Of the target, or the target waits for it.
  bool Concerns(uint32_t id) const { return IsTarget(id) || IsHeldUpFor(waiters[id].share); }
  // Whether another vertex waits for it that surely has no other work.
  bool IsNeeded(uint32_t id) const { return waiters[id].needed_share >= options.threshold; }
  // Whether the recording holds what this thread did. If only the target was recorded, it holds no
  // other thread's.
  bool IsRecordedThread(uint32_t id) const;
  // A client outside of the target waits for it again and again, most of its time.
  bool ClientsWaitFor(uint32_t id) const { return client_waits_[id] != 0; }
  // Of the target, with a good part of its work; asks, and waits for answers most of the time.
  bool WaitsForAnswers(uint32_t id) const;
  // Of the target, with a good part of its work; asks, and mostly sleeps on timers in between:
  // nobody gives it work, so only it sets its pace.
  bool AsksByTheClock(uint32_t id) const;
  double ActiveNs(uint32_t id) const { return static_cast<double>(vertex(id).active_ns()); }

 private:
  std::vector<char> client_waits_;  // by vertex
};

}  // namespace gordian
