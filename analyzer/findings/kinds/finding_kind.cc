// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/finding_kind.h"

#include "analyzer/findings/kinds/kinds.h"

namespace gordian {

const KindFacts& FactsOf(FindingKind kind) { return RowOf(kind).facts; }

std::optional<FindingKind> FindingKindOf(std::string_view name) {
  for (const KindRow& row : AllKinds()) {
    if (row.facts.name == name) return row.kind;
  }
  return std::nullopt;
}

const KindFacts& FactsOf(const pb::Finding& finding) {
  static constexpr KindFacts kUnknown = {
      .name = "", .in_words = "a limit", .if_gone = "if it were gone"};
  const std::optional<FindingKind> kind = FindingKindOf(finding.kind());
  return kind ? FactsOf(*kind) : kUnknown;
}

}  // namespace gordian
