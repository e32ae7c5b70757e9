// SPDX-License-Identifier: Apache-2.0
// The conditions of a rule: read, and judged on frames. Inner to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "live/rules/rule.h"
#include "live/rules/rule_words.h"
#include "schema/live.pb.h"

namespace gordian {

// `words`: what follows "when". InvalidArgument says what is wrong.
absl::StatusOr<std::vector<RuleCondition>> ParseConditions(std::span<const RuleWord> words);

// The quantity in this frame; none if the frame knows nothing of the names in it. `lost_before`: as
// the frame before counted.
std::optional<double> ValueOf(const RuleCondition& condition, const pb::LiveFrame& frame,
                              uint64_t lost_before);

bool Holds(const RuleCondition& condition, double value);

// Whether `pattern`, in which * is any text, is the label, or the label without what counts or
// numbers its threads: worker is "worker (16 threads)" and worker/4711.
bool IsLabel(std::string_view pattern, std::string_view label);

}  // namespace gordian
