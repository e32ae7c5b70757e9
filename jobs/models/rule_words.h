// SPDX-License-Identifier: Apache-2.0
// Rules of use as models write them: "none", "exact 0.5", "exact 50%", "exact 1 core",
// "exact 200 MB/s", "variable 2", "leaves". Inner to the models, and for what writes models.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "jobs/job/job.h"

namespace gordian {

// InvalidArgument with one line, without the model's name and line, if the words are no rule for
// that resource.
absl::StatusOr<AttributionRule> ParseRule(std::string_view words, const ResourceType& resource);

// The words that ParseRule reads as this rule, to the last bit.
std::string RuleWords(const AttributionRule& rule, const ResourceType& resource);

// The fewest digits that are read as the same number.
std::string NumberWords(double number);

// The unit of a resource's amounts: the model's, else that of recordings; empty if none tells it.
std::string UnitOfResource(const ResourceType& resource);

}  // namespace gordian
