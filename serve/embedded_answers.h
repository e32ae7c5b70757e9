// SPDX-License-Identifier: Apache-2.0
// What views ask first, answered beforehand: a report in one file has no server.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "output/html_report.h"

namespace gordian {

// The most important first. What cannot be answered (a recording without packets has no bytes to
// tell) is left out: its view then says so, or is not offered.
std::vector<EmbeddedAnswer> AnswersToEmbed(const Analysis& analysis);

}  // namespace gordian
