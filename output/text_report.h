// The report as one page of text, for somebody at three in the morning: what limits the program
// stands in the first line, then why, where, what it would gain at most, how sure that is, and what
// looks big but is not the limit.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

std::string TextReport(const pb::Report& report, const TextStyle& style);

// The report's first sentence: what limits the program.
std::string Verdict(const pb::Report& report);

}  // namespace gordian
