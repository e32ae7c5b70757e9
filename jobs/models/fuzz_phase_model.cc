// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model: it must be taken or refused with lines for the user. A model that is taken
// must hold together, and be the same once it was written anew.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jobs/models/phase_model.h"
#include "jobs/models/write_model.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Check(const PhaseModel& model) {
  const JobModel& job = model.job;
  Require(!job.types.empty() && job.types[0].parent == kNoId);
  Require(job.rules.size() == job.types.size() * job.resources.size());
  Require(model.discovers.size() == job.types.size());
  Require(model.rule_words.size() == job.rules.size());
  for (PhaseTypeId type = 0; type < job.types.size(); ++type) {
    Require(type == 0 || job.types[type].parent < type);
    for (const PhaseTypeId before : job.types[type].after) {
      Require(before != type && job.types[before].parent == job.types[type].parent);
    }
  }
  for (const LogRules& logs : model.logs) {
    for (const LogRule& rule : logs.rules) {
      if (rule.path.type == kNoId) continue;
      Require(rule.path.type < job.types.size() && !rule.path.keys.empty());
    }
  }
}

void CheckWritten(std::string_view text, const PhaseModel& model) {
  size_t unnamed = 0;
  const auto written = WithRules(text, "m", model.job, unnamed);
  if (!written.ok()) return;
  const auto read = ParseModel(*written, "m");
  Require(read.ok() && read->job.rules == model.job.rules && unnamed == 0);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> errors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = gordian::ParseModel(text, "m", &errors);
  gordian::Require(model.ok() == errors.empty());
  if (model.ok()) gordian::Check(*model);
  if (model.ok()) gordian::CheckWritten(text, *model);
  return 0;
}
