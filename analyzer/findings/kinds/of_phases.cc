// SPDX-License-Identifier: Apache-2.0
// Findings of a job's phases. jobs/ judges and words them; this file has only their names.
#include "analyzer/findings/kinds/kinds.h"

namespace gordian {
namespace {

KindRow KindOfPhases(FindingKind kind, const char* name, const char* in_words) {
  return {
      .kind = kind,
      .facts = {
          .name = name, .in_words = in_words, .if_gone = "if this were mended", .of_phases = true}};
}

}  // namespace

KindRow BottleneckKind() {
  return KindOfPhases(FindingKind::kBottleneck, "bottleneck", "a resource in a phase");
}
KindRow ImbalanceKind() {
  return KindOfPhases(FindingKind::kImbalance, "imbalance", "uneven phases");
}
KindRow OutlierKind() { return KindOfPhases(FindingKind::kOutlier, "outlier", "a straggler"); }
KindRow GapKind() { return KindOfPhases(FindingKind::kGap, "gap", "time between phases"); }

}  // namespace gordian
