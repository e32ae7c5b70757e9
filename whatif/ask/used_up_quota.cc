// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/used_up_quota.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/ask/ask.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A shorter run, calls that are gone, or one for many of them.
bool TakesCpuTimeAway(const pb::WhatIfChange& change) {
  const std::string& kind = change.kind();
  return kind == "run" || kind == "function" || kind == "skip" || kind == "batch";
}

}  // namespace

bool LimitedByQuota(const pb::Report& report) {
  return !report.findings().empty() && report.findings(0).has_cpu_quota();
}

void TellUsedUpQuota(const pb::Report& report, pb::WhatIf& answer) {
  if (!LimitedByQuota(report)) return;
  const pb::CpuQuota& quota = report.findings(0).cpu_quota();
  const std::string used_up = absl::StrFormat("the cgroup %s may use %.3g CPUs, and uses them up",
                                              CleanText(quota.cgroup()), quota.cpus());
  if (std::any_of(answer.changes().begin(), answer.changes().end(), TakesCpuTimeAway)) {
    answer.add_doubts(absl::StrCat(used_up, ": a replay knows no quotas"));
    return;
  }
  answer.set_low(1);
  answer.set_expected(1);
  answer.set_high(1);
  answer.set_used_up_quota(used_up);
}

}  // namespace gordian
