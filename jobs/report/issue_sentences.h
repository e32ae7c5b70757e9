// SPDX-License-Identifier: Apache-2.0
// Issues in words. Inner to the library.
#pragma once

#include <string>
#include <vector>

#include "jobs/report/job_report.h"

namespace gordian {

// "Superstep", or "the whole job" for all phases.
std::string TypeWords(const Job& job, PhaseTypeId type);
// One sentence: the trouble, its phases, and the time that mending it would save.
std::string TitleOf(const JobAnalysis& analysis, const Issue& issue);
// How it follows from the recording.
std::vector<std::string> WhyOf(const JobAnalysis& analysis, const Issue& issue);
// Advice.
std::vector<std::string> AdviceOf(const JobAnalysis& analysis, const Issue& issue);

}  // namespace gordian
