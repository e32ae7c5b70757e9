// SPDX-License-Identifier: Apache-2.0
// What must not happen from one side of recordings, before a change, to the other, after it:
// conditions of `gordian diff --fail-if`.
//
//   condition = "new-limit" | "limit-gone" | metric ( "<" | ">" ) amount
//   metric    = "throughput" [ "(" PROGRESS ")" ]   what counts, as gordian whatif --progress has
//   it
//             | "wait(" WHO "->" WHOM ")"           seconds of waiting in a second of recording
//             | "share(" WHO ")"                    of the recording, of the findings it is part of
//             | "runtime" [ "(" PHASE ")" ]         of the command, or of a phase on average
//   amount    = ( "+" | "-" ) number unit           the change from before to after
//             | number unit                         the value after the change
//   unit      = "%"                                 a change: of the value before; a share: of all
//             | "ns" | "us" | "ms" | "s"            wait, runtime
//             | "/s"                                throughput
//             | "pp"                                a change of a share, in points of percent
//
// Names are those of the report, and may hold parentheses. Blanks may stand between all parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gordian {

enum class Metric : uint8_t { kThroughput, kWait, kShare, kRuntime, kNewLimit, kLimitGone };

// Whether it asks for the change or the loss of a limit, and has no amount.
inline bool IsOfLimits(Metric metric) {
  return metric == Metric::kNewLimit || metric == Metric::kLimitGone;
}

enum class AmountKind : uint8_t {
  kRelative,    // of the value before: after > (1 + amount) * before
  kDifference,  // after > before + amount
  kLevel,       // after > amount
};

struct FailCondition {
  std::string text;  // as it was given
  Metric metric = Metric::kNewLimit;
  std::string who;   // of throughput the progress, of runtime the phase; empty: none was named
  std::string whom;  // of wait
  bool above = false;
  AmountKind kind = AmountKind::kRelative;
  // 0.05 for 5 %; seconds (of a wait: in a second of recording), events per second, or a share.
  double amount = 0;

  bool operator==(const FailCondition&) const = default;
};

// InvalidArgument is one line with the place.
absl::StatusOr<FailCondition> ParseCondition(std::string_view text);

}  // namespace gordian
