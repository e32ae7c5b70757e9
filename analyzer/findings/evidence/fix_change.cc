// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/fix_change.h"

#include <array>
#include <utility>

namespace gordian {
namespace {

constexpr std::array<std::pair<FixChange, const char*>, 14> kFixChangeNames = {{
    {FixChange::kAsync, "async"},
    {FixChange::kSkip, "skip"},
    {FixChange::kLock, "lock"},
    {FixChange::kBatch, "batch"},
    {FixChange::kNoFalseWakeups, "no-false-wakeups"},
    {FixChange::kScale, "scale"},
    {FixChange::kTimer, "timer"},
    {FixChange::kRun, "run"},
    {FixChange::kFunction, "function"},
    {FixChange::kAddThread, "add-thread"},
    {FixChange::kInFlight, "in-flight"},
    {FixChange::kClients, "clients"},
    {FixChange::kCpus, "cpus"},
    {FixChange::kQuota, "quota"},
}};

}  // namespace

const char* FixChangeName(FixChange change) {
  for (const auto& [one, name] : kFixChangeNames) {
    if (one == change) return name;
  }
  return "";
}

std::optional<FixChange> FixChangeOf(std::string_view name) {
  for (const auto& [change, its_name] : kFixChangeNames) {
    if (name == its_name) return change;
  }
  return std::nullopt;
}

}  // namespace gordian
