// SPDX-License-Identifier: Apache-2.0
// One limit beside the evidence for it, and what all kinds say of it in the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/limit.h"

namespace gordian {

struct Case {
  const Evidence& evidence;
  const Limit& limit;

  const Measures& measures() const { return evidence.measures; }
  const Vertex& vertex(uint32_t id) const { return evidence.vertex(id); }
  uint32_t first() const { return limit.members.front(); }
  bool IsGroup(uint32_t id) const { return vertex(id).kind == VertexKind::kGroup; }
  // A user's thread outside of the target.
  bool IsOutside(uint32_t id) const {
    return !limit.apart && IsOutsider(evidence.measures, evidence.target, id);
  }

  const std::string& Name(uint32_t id) const { return evidence.words.of(id); }
  // With a verb: "B waits", "worker-* (16 threads) wait".
  std::string Does(uint32_t id, std::string_view one, std::string_view several) const {
    return evidence.words.does(id, one, several);
  }
  // Of a wait for an answer the edge's own share may be one of less time.
  double ShareOfAllTime(const ScopeEdge& edge) const;
  // "B waits 40 % of the time for C (1,000 waits, the longest 3 ms)."
  std::string WaitSentence(const ScopeEdge& edge) const;
};

}  // namespace gordian
