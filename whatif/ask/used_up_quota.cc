// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/used_up_quota.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A shorter run, calls that are gone, or one for many of them.
bool TakesCpuTimeAway(const pb::WhatIfChange& change) {
  const std::string& kind = change.kind();
  return kind == "run" || kind == "function" || kind == "skip" || kind == "batch";
}

bool IsOfQuota(const pb::WhatIfChange& change) { return change.kind() == "quota"; }

// The CPU time that the quota allows over what is used of it. Quotas are used up period by period:
// who works in bursts is held back in some and uses less in others. Others in the cgroup use it,
// too, so the bound is no lower than the true one.
double MostUnderQuota(const pb::Report& report) {
  const pb::Finding& finding = report.findings(0);
  double run_s = 0;
  for (const uint32_t id : finding.members()) {
    for (const pb::ReportVertex& vertex : report.vertices())
      if (vertex.id() == id) run_s += vertex.run_s();
  }
  const double used_cpus = run_s / std::max(report.recording().seconds(), 1e-9);
  return used_cpus <= 0 ? 1 : std::max(1.0, finding.cpu_quota().cpus() / used_cpus);
}

}  // namespace

bool LimitedByQuota(const pb::Report& report) {
  return !report.findings().empty() && report.findings(0).has_cpu_quota();
}

void TellUsedUpQuota(const pb::Report& report, pb::WhatIf& answer) {
  if (!LimitedByQuota(report)) return;
  if (std::any_of(answer.changes().begin(), answer.changes().end(), IsOfQuota)) return;
  const pb::CpuQuota& quota = report.findings(0).cpu_quota();
  const std::string used_up = absl::StrFormat("the cgroup %s may use %.3g CPUs, and uses them up",
                                              CleanText(quota.cgroup()), quota.cpus());
  if (std::any_of(answer.changes().begin(), answer.changes().end(), TakesCpuTimeAway)) {
    answer.add_doubts(absl::StrCat(
        used_up, ": how long it holds its threads back follows the CPU time of their work"));
    return;
  }
  const double most = MostUnderQuota(report);
  if (most >= kNoGain) {
    answer.set_low(std::min(answer.low(), most));
    answer.set_expected(std::min(answer.expected(), most));
    answer.set_high(std::min(answer.high(), most));
    answer.add_doubts(
        absl::StrFormat("the cgroup %s may use %.3g CPUs: that bounds the gain to %.2g times",
                        CleanText(quota.cgroup()), quota.cpus(), most));
    return;
  }
  answer.set_low(1);
  answer.set_expected(1);
  answer.set_high(1);
  answer.set_used_up_quota(used_up);
}

}  // namespace gordian
