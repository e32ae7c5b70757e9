// SPDX-License-Identifier: Apache-2.0
// A report's account of a job's phases, as parts of the page of text.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

// Whether it is a finding about phases.
bool IsOfPhases(const pb::Finding& finding);
// "up to 15 % of the job's time (7 s instead of 8.2 s), told by replaying its phases"
std::string PhaseGainSentence(const pb::Report& report, const pb::Finding& finding);

// The kinds of phases with their limits, then the resources. Nothing without a job.
void AddPhaseTables(const pb::Report& report, TextPage& page);

}  // namespace gordian
