// SPDX-License-Identifier: Apache-2.0
// A model whose rules were fitted to a job, with all that is to be told of it.
#pragma once

#include <string>
#include <vector>

#include "jobs/job/job.h"
#include "jobs/models/phase_model.h"
#include "jobs/tuning/tune_rules.h"

namespace gordian {

struct TunedModel {
  PhaseModel model;  // as it was given
  Job job;           // with the tuned rules
  std::vector<TunedResource> resources;
  std::vector<std::string> other_resources;  // with samples, but the model does not name them
  std::string yaml;
  size_t unnamed_types = 0;  // phases that no model can name: their rules are not in the YAML
};

}  // namespace gordian
