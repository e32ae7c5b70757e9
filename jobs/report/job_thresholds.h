// SPDX-License-Identifier: Apache-2.0
// The thresholds of a job's analysis that users may set by name: --job-threshold full-share=0.9.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "jobs/report/job_report.h"

namespace gordian {

struct JobThreshold {
  std::string_view name;
  std::string_view unit;     // "share", "ms", "times", "phases", …
  std::string_view meaning;  // what becomes of those below or above
  double least = 0;          // both values are allowed
  double most = 0;
  double (*get)(const JobOptions& options) = nullptr;
  void (*set)(JobOptions& options, double value) = nullptr;
};

std::span<const JobThreshold> JobThresholds();

// "full-share=0.9" or "full-share=90%". InvalidArgument, with the nearest name or the range, if it
// is none of them.
absl::Status SetJobThreshold(std::string_view text, JobOptions& options);

// Every threshold with its meaning and usual value, for people.
std::string JobThresholdText();

struct ChangedThreshold {
  const JobThreshold* threshold = nullptr;
  double value = 0;
  double usual = 0;
};
// Those that differ from the usual values.
std::vector<ChangedThreshold> ChangedThresholds(const JobOptions& options);

}  // namespace gordian
