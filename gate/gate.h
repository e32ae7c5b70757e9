// SPDX-License-Identifier: Apache-2.0
// The gate of `gordian diff --fail-if`: whether conditions on the change from recordings before to
// recordings after it hold, beyond chance (docs/gate.md).
//
//   conditions     what must not happen                        gate/condition.h
//   measurements   one number a condition and recording        gate/measure.h, gate/parts.h
//   samples        is one side greater, beyond chance?         gate/samples.h
//   verdict        the same in words                           here
//
// Usage:
//   auto condition = ParseCondition("throughput<-5%");
//   auto gate = JudgeGate({.conditions = {*condition}}, before, after);
//   if (gate->fails()) …
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gate/condition.h"
#include "gate/measure.h"
#include "gate/samples.h"
#include "schema/listings.pb.h"

namespace gordian {

struct GateRequest {
  std::vector<FailCondition> conditions;
  std::string progress;        // of a throughput that names none; empty: what the recordings count
  double false_alarms = 0.05;  // share of answers on a condition that may be wrong by chance
  bool strict = false;         // undecided fails, too
};

struct MeasuredCondition {
  Sample sample;
  std::string what;           // that was measured, in words
  absl::Status unknown_name;  // NotFound if the recording has nothing of that name
};

struct MeasuredRecording {
  std::string directory;
  std::vector<MeasuredCondition> conditions;  // in the order of the request
  LimitsFound limits;
  std::vector<LimitsFound> limits_of_parts;  // empty if nothing asked for them
  // What the program itself counts, as --progress names it: "probe done", "syscall accept4".
  std::map<std::string, Sample> counts;
};

// Whether parts of recordings will be needed: so many on each side decide nothing by themselves.
bool NeedsParts(const GateRequest& request, size_t before, size_t after);

// No side is empty. NotFound if no recording has what a condition names, FailedPrecondition if
// throughput names no progress and the recordings do not agree on one.
absl::StatusOr<pb::Gate> JudgeGate(const GateRequest& request,
                                   std::span<const MeasuredRecording> before,
                                   std::span<const MeasuredRecording> after);

}  // namespace gordian
