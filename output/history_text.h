// SPDX-License-Identifier: Apache-2.0
// The output of `gordian whatif --history`.
#pragma once

#include <string>

#include "schema/whatif.pb.h"

namespace gordian {

// A table, and how the predictions fared in one sentence.
std::string HistoryText(const pb::PredictionHistory& history);

}  // namespace gordian
