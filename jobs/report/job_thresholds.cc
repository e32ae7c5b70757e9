// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/job_thresholds.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/time_units.h"
#include "jobs/models/model_errors.h"

namespace gordian {
namespace {

double MsOf(uint64_t span_ns) { return static_cast<double>(span_ns) / kNsPerMs; }
uint64_t NsOf(double span_ms) { return static_cast<uint64_t>(std::llround(span_ms * kNsPerMs)); }

// The rooms' own thresholds.h say what breaks where one is moved.
constexpr JobThreshold kThresholds[] = {
    {"least-gain", "share", "Issues that gain less of the makespan are not told.", 0, 1,
     [](const JobOptions& o) { return o.issues.threshold; },
     [](JobOptions& o, double value) { o.issues.threshold = value; }},
    {"stands-for", "share",
     "A narrower issue that gains this share of a wider one is told in its place.", 0, 1,
     [](const JobOptions& o) { return o.issues.stands_for; },
     [](JobOptions& o, double value) { o.issues.stands_for = value; }},
    {"compared-phases", "phases", "In smaller groups no phase stands out.", 2, 1e+06,
     [](const JobOptions& o) { return static_cast<double>(o.issues.fewest_compared); },
     [](JobOptions& o, double value) { o.issues.fewest_compared = static_cast<size_t>(value); }},
    {"outlier-quartiles", "times",
     "An outlier lies so many quartile distances above the upper quartile of the others.", 0, 1000,
     [](const JobOptions& o) { return o.issues.outlier_quartiles; },
     [](JobOptions& o, double value) { o.issues.outlier_quartiles = value; }},
    {"outlier-medians", "times", "An outlier takes so many times the median of the others.", 1.1,
     1000, [](const JobOptions& o) { return o.issues.outlier_medians; },
     [](JobOptions& o, double value) { o.issues.outlier_medians = value; }},
    {"full-share", "share", "A resource used to this share of its capacity is full.", 0.01, 1,
     [](const JobOptions& o) { return o.bottlenecks.full_share; },
     [](JobOptions& o, double value) { o.bottlenecks.full_share = value; }},
    {"full-time", "ms", "A resource that is full for a shorter time holds no phase.", 0, 3.6e+06,
     [](const JobOptions& o) { return MsOf(o.bottlenecks.full_ns); },
     [](JobOptions& o, double value) { o.bottlenecks.full_ns = NsOf(value); }},
    {"without-delays", "share",
     "A phase that lasts this share of its time without the delays within was waiting.", 0, 1,
     [](const JobOptions& o) { return o.issues.replay.without_delays; },
     [](JobOptions& o, double value) { o.issues.replay.without_delays = value; }},
    {"order-tolerance", "ms",
     "A phase may begin so much before the end of the one that it follows.", 0, 3.6e+06,
     [](const JobOptions& o) { return MsOf(o.issues.replay.tolerance_ns); },
     [](JobOptions& o, double value) { o.issues.replay.tolerance_ns = NsOf(value); }},
    {"clock-jump", "ms", "A line so much older than the one before counts as a jump of the clock.",
     0, 3.6e+06, [](const JobOptions& o) { return MsOf(o.logs.clock_jump_ns); },
     [](JobOptions& o, double value) { o.logs.clock_jump_ns = NsOf(value); }},
    {"fixed-text", "letters",
     "A line almost fits a rule only if the fixed text of the rule is as long.", 1, 1e+06,
     [](const JobOptions& o) { return static_cast<double>(o.logs.fixed_bytes_of_a_rule); },
     [](JobOptions& o, double value) {
       o.logs.fixed_bytes_of_a_rule = static_cast<size_t>(value);
     }},
    {"hardly-used", "share", "With less use of every resource in a gap, hardly anything worked.", 0,
     1, [](const JobOptions& o) { return o.telling.hardly_used; },
     [](JobOptions& o, double value) { o.telling.hardly_used = value; }},
    {"least-shorter", "share", "A phase that could be shorter by less is no example of an issue.",
     0, 1, [](const JobOptions& o) { return o.telling.least_shorter; },
     [](JobOptions& o, double value) { o.telling.least_shorter = value; }},
    {"mostly-measured", "share",
     "With less of a use measured, the issue is doubted: it is estimated.", 0, 1,
     [](const JobOptions& o) { return o.issues.mostly_measured; },
     [](JobOptions& o, double value) { o.issues.mostly_measured = value; }},
    {"coarse-sample", "timeslices",
     "Samples longer than this are coarse: the issue is strongly doubted.", 0, 1e+06,
     [](const JobOptions& o) { return o.issues.coarse_sample_slices; },
     [](JobOptions& o, double value) { o.issues.coarse_sample_slices = value; }},
    {"mostly-covered", "share",
     "With use known for less of the time, the issue is strongly doubted.", 0, 1,
     [](const JobOptions& o) { return o.issues.mostly_covered; },
     [](JobOptions& o, double value) { o.issues.mostly_covered = value; }},
    {"much-unexplained", "share",
     "With more of the makespan between phases, issues are strongly doubted.", 0, 1,
     [](const JobOptions& o) { return o.issues.much_unexplained; },
     [](JobOptions& o, double value) { o.issues.much_unexplained = value; }},
    {"slight-doubt", "factor", "What a slight doubt leaves of the confidence.", 0, 1,
     [](const JobOptions& o) { return o.issues.slight_doubt; },
     [](JobOptions& o, double value) { o.issues.slight_doubt = value; }},
    {"strong-doubt", "factor", "What a strong doubt leaves of it.", 0, 1,
     [](const JobOptions& o) { return o.issues.strong_doubt; },
     [](JobOptions& o, double value) { o.issues.strong_doubt = value; }},
    {"any-amount-doubt", "factor",
     "What is left of it where the gain supposes any amount of a resource.", 0, 1,
     [](const JobOptions& o) { return o.issues.doubt_of_any_amount; },
     [](JobOptions& o, double value) { o.issues.doubt_of_any_amount = value; }},
};

}  // namespace

std::span<const JobThreshold> JobThresholds() { return kThresholds; }

absl::Status SetJobThreshold(std::string_view text, JobOptions& options) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::vector<std::string_view> names;
  for (const JobThreshold& threshold : kThresholds) {
    names.push_back(threshold.name);
    if (threshold.name != name) continue;
    std::string number(equals == std::string_view::npos ? "" : text.substr(equals + 1));
    double percent = 1;
    if (number.ends_with('%') && (threshold.unit == "share" || threshold.unit == "factor")) {
      number.pop_back();
      percent = 100;
    }
    double value = 0;
    const bool is_number = absl::SimpleAtod(number, &value) && std::isfinite(value);
    value /= percent;
    if (!is_number || value < threshold.least || value > threshold.most) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: a number from %g to %g is expected (%s), as in %s=%g", name, threshold.least,
          threshold.most, threshold.unit, name, threshold.get(JobOptions())));
    }
    threshold.set(options, value);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no threshold '", std::string(name), "'", MeantOrKnown(name, names)));
}

std::string JobThresholdText() {
  std::string text;
  for (const JobThreshold& threshold : kThresholds) {
    absl::StrAppendFormat(&text, "%-18s %6g %-10s  %s\n", threshold.name,
                          threshold.get(JobOptions()), threshold.unit, threshold.meaning);
  }
  return text;
}

std::vector<ChangedThreshold> ChangedThresholds(const JobOptions& options) {
  std::vector<ChangedThreshold> changed;
  for (const JobThreshold& threshold : kThresholds) {
    const double value = threshold.get(options), usual = threshold.get(JobOptions());
    if (value != usual) changed.push_back({&threshold, value, usual});
  }
  return changed;
}

}  // namespace gordian
