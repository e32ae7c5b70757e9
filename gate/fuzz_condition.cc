// SPDX-License-Identifier: Apache-2.0
// Any bytes as a condition: it must be taken, and mean the same when it is read again, or refused
// with one line.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gate/condition.h"

namespace gordian {
namespace {

void RequireOfCondition(bool holds) {
  if (!holds) std::abort();
}

void CheckCondition(std::string_view text) {
  const auto condition = ParseCondition(text);
  if (!condition.ok()) {
    RequireOfCondition(condition.status().message().find('\n') == absl::string_view::npos);
    return;
  }
  RequireOfCondition(std::isfinite(condition->amount));
  const bool of_limits = IsOfLimits(condition->metric);
  RequireOfCondition(!of_limits || (condition->who.empty() && condition->amount == 0));
  RequireOfCondition((condition->metric == Metric::kWait) == !condition->whom.empty());
  RequireOfCondition(condition->kind != AmountKind::kRelative || condition->amount > -1);
  const auto again = ParseCondition(condition->text);
  RequireOfCondition(again.ok() && *again == *condition);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::CheckCondition(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
