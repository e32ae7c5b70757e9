// SPDX-License-Identifier: Apache-2.0
// Which findings tell a limit of the program.
#pragma once

#include "analyzer/findings/evidence/finding_kind.h"
#include "schema/report.pb.h"

namespace gordian {

// A knot in the background holds no thread up, and a knot apart from the target does not hold up
// the target.
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
