// SPDX-License-Identifier: Apache-2.0
// The report as one page of text, for an engineer at three in the morning. The first line tells the
// limit of the program. Then come the reason, the place, the largest gain, the sureness, and waits
// that look big but are not the limit.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

std::string TextReport(const pb::Report& report, const TextStyle& style);

// The report's first sentence: the limit of the program.
std::string Verdict(const pb::Report& report);

}  // namespace gordian
