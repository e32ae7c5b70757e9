// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/case.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {

double Case::ShareOfAllTime(const ScopeEdge& edge) const {
  const Edge* recorded = measures().FindEdge(edge.from, edge.to);
  if (recorded == nullptr || vertex(edge.from).is_device()) return edge.share;
  return std::min(edge.share, measures().OwnShare(*recorded));
}

std::string Case::WaitSentence(const ScopeEdge& edge) const {
  const std::string share = PercentText(edge.share);
  if (vertex(edge.from).is_device()) {
    return absl::StrCat(Name(edge.from), " is idle ", share, " of the time, until ",
                        Does(edge.to, "gives", "give"), " it work.");
  }
  const std::string whom = edge.from == edge.to ? "others of their kind" : Name(edge.to);
  std::string text =
      absl::StrCat(Does(edge.from, "waits ", "wait "), share, " of the time for ", whom);
  if (const Edge* recorded = measures().FindEdge(edge.from, edge.to)) {
    if (edge.share > ShareOfAllTime(edge))
      absl::StrAppend(&text, ", as far as they do not wait for each other");
    absl::StrAppend(&text, " (", FormatCount(recorded->count, "wait"), ", the longest ",
                    FormatDuration(recorded->longest_ns), ")");
  }
  return text + ".";
}

}  // namespace gordian
