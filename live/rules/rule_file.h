// SPDX-License-Identifier: Apache-2.0
// Reads a file of rules, as gordian-rules(5) describes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "live/rules/rule.h"

namespace gordian {

inline constexpr size_t kMaxRuleFileBytes = 1 << 20;
inline constexpr size_t kMostRules = 200;

// All that is wrong goes into `errors`, each as "FILE:LINE: what"; the status has the first.
// InvalidArgument exactly if there is any.
absl::StatusOr<std::vector<Rule>> ParseRules(std::string_view text, std::string_view file,
                                             std::vector<std::string>* errors = nullptr);

// The statuses of reading the file, and of ParseRules.
absl::StatusOr<std::vector<Rule>> ReadRuleFile(const std::string& path,
                                               std::vector<std::string>* errors = nullptr);

}  // namespace gordian
