// Which findings say what limits the program.
#pragma once

#include "analyzer/findings/evidence/finding_kind.h"
#include "schema/report.pb.h"

namespace gordian {

// A knot in the background holds nobody up, and one apart from the target not the target.
inline bool IsLimit(const pb::Finding& finding) {
  return FactsOf(finding).limits && !finding.apart();
}

// The highest ranked; null if nothing was found.
inline const pb::Finding* FirstLimit(const pb::Report& report) {
  for (const pb::Finding& finding : report.findings()) {
    if (IsLimit(finding)) return &finding;
  }
  return nullptr;
}

}  // namespace gordian
