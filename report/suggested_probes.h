// SPDX-License-Identifier: Apache-2.0
// Suggestions as a report tells them.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/suggestions/suggestions.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

inline constexpr size_t kMostSuggestions = 50;

// The report must have its vertices. `vertex_of_entity` tells which of them a thread belongs to.
void AddSuggestions(std::span<const Suggestion> suggestions, const Timeline& timeline,
                    const Code& code, std::span<const uint32_t> vertex_of_entity,
                    const TimeRange& range, pb::Report& report);

}  // namespace gordian
