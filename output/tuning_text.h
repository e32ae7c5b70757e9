// SPDX-License-Identifier: Apache-2.0
// What gordian model tune changed, and why: a table for each resource.
#pragma once

#include <string>

#include "jobs/tuning/tuned_model.h"

namespace gordian {

std::string TuningText(const TunedModel& tuned);

}  // namespace gordian
