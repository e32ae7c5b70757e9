// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/kinds/kinds.h"

#include <algorithm>
#include <array>

namespace gordian {

std::span<const KindRow> AllKinds() {
  static const std::array kRows = {
      KnotKind(),       SinkKind(),       DeviceKind(),  LatencyKind(),    HeldBackKind(),
      SleepKind(),      StarvationKind(), OutsideKind(), BackgroundKind(), PathKind(),
      BottleneckKind(), ImbalanceKind(),  OutlierKind(), GapKind(),
  };
  return kRows;
}

const KindRow& RowOf(FindingKind kind) {
  const std::span<const KindRow> rows = AllKinds();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [kind](const KindRow& one) { return one.kind == kind; });
  return row == rows.end() ? rows.front() : *row;
}

std::optional<Limit> LimitOfVertex(const Evidence& evidence, uint32_t vertex) {
  for (const KindRow& row : AllKinds()) {
    if (row.of_vertex == nullptr) continue;
    if (std::optional<Limit> limit = row.of_vertex(evidence, vertex)) return limit;
  }
  return std::nullopt;
}

}  // namespace gordian
