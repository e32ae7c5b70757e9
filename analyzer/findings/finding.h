// SPDX-License-Identifier: Apache-2.0
// A finding before it is written into a report. It stays typed until then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/evidence/natural_fix.h"
#include "analyzer/findings/ruled_out.h"
#include "schema/report.pb.h"

namespace gordian {

struct Finding {
  struct Wait {
    uint32_t from = 0;
    uint32_t to = 0;
  };

  FindingKind kind = FindingKind::kKnot;
  bool apart = false;             // it has nothing to do with the target
  std::vector<uint32_t> members;  // vertices
  std::vector<uint32_t> outside;  // members that are not of the target
  std::optional<Wait> attack;
  std::vector<Wait> waits;  // of a knot, heaviest first
  double share = 0;
  double upper_bound_gain = 1;
  double confidence = 1;
  std::string title;
  std::vector<std::string> why;
  std::vector<std::string> advice;
  std::vector<std::string> doubts;
  std::vector<RuledOut> ruled_out;
  NaturalFixes natural_fixes;
  std::vector<uint32_t> phases;        // of the job
  std::vector<uint32_t> explained_by;  // places of findings in the report, from 1
};

// Adds the finding to the report: here types become text. RankFindings (ranking.h) gives it its
// place.
void WriteFinding(const Finding& finding, pb::Report& report);

}  // namespace gordian
