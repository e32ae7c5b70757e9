// SPDX-License-Identifier: Apache-2.0
// Named counters: everything that makes data imperfect is counted under one of these names and
// shown in every report.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/session.pb.h"

namespace gordian {

enum class CounterSeverity {
  kInfo,      // worth knowing
  kDataLoss,  // findings may be touched: confidence goes down
  kError,     // something failed that should not
};

struct CounterDefinition {
  std::string_view name;
  CounterSeverity severity;
  std::string_view meaning;
  std::string_view advice;
};

std::span<const CounterDefinition> CounterDefinitions();
// Null for a name this version does not know.
const CounterDefinition* FindCounter(std::string_view name);

// Adds to the counter of that name in `session`, making it if need be. CHECKs that the name is
// defined.
void AddCounter(pb::Session& session, std::string_view name, uint64_t value);
void SetCounter(pb::Session& session, std::string_view name, uint64_t value);
uint64_t CounterValue(const pb::Session& session, std::string_view name);

}  // namespace gordian
