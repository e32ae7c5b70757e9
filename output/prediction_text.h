// SPDX-License-Identifier: Apache-2.0
// The lines of a finding that tell the gain of mending it.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

// A gain below that cannot be told from chance.
inline constexpr double kTellableGain = 1.03;

std::string TimesText(double gain);  // 2.0×

// "1.5 to 1.9× throughput if B did not wait for C (likely):", "no gain beyond chance …"
std::string PredictionSentence(const pb::Prediction& prediction);
// In few words, for a list: "1.5 to 1.9×"; empty without a prediction.
std::string PredictionInShort(const pb::Finding& finding);

// Each prediction with the command that repeats it, then the bound, or why there is no prediction.
void AddGain(const pb::Report& report, const pb::Finding& finding, TextPage& page);

}  // namespace gordian
