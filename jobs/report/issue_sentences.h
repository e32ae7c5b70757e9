// Issues in words. Inner to the library.
#pragma once

#include <string>
#include <vector>

#include "jobs/report/job_report.h"

namespace gordian {

// "Superstep", or "the whole job" for all phases.
std::string TypeWords(const Job& job, PhaseTypeId type);
// One sentence: what is wrong, in which phases, what mending it would save.
std::string TitleOf(const JobAnalysis& analysis, const Issue& issue);
// How it follows from what was recorded.
std::vector<std::string> WhyOf(const JobAnalysis& analysis, const Issue& issue);
// What one would try.
std::vector<std::string> AdviceOf(const JobAnalysis& analysis, const Issue& issue);

}  // namespace gordian
