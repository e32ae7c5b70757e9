// How far a finding can be trusted.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/words.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"

namespace gordian {

struct Confidence {
  double value = 1;                 // 0 … 1
  std::vector<std::string> doubts;  // one sentence for each thing that lowers it
};

Confidence JudgeConfidence(const WaitForGraph& recording, const pb::RecordingSummary& summary,
                           const Measures& measures, const VertexWords& words, const Limit& limit);

}  // namespace gordian
