// Any bytes as a model: it must be taken or refused with lines for the user, and a model that is
// taken must hold together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jobs/models/phase_model.h"

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

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> errors;
  const auto model = gordian::ParseModel({reinterpret_cast<const char*>(data), size}, "m", &errors);
  gordian::Require(model.ok() == errors.empty());
  if (model.ok()) gordian::Check(*model);
  return 0;
}
