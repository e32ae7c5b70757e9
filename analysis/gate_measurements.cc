// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate_measurements.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/told_counts.h"
#include "base/time_units.h"
#include "gate/parts.h"
#include "gate/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kCommandEnded[] = "command ended";

class RecordingMeter {
 public:
  RecordingMeter(const Analysis& analysis, std::vector<pb::Report> parts, ToldCounts told)
      : analysis_(analysis), parts_(std::move(parts)), told_(std::move(told)) {}

  // An error if the condition makes no sense for such a recording.
  absl::StatusOr<MeasuredCondition> Measure(const FailCondition& condition,
                                            const std::string& progress) const {
    switch (condition.metric) {
      case Metric::kThroughput:
        return Throughput(condition.who.empty() ? progress : condition.who);
      case Metric::kWait:
        return Named(WaitOf(analysis_.report(), parts_, condition.who, condition.whom),
                     absl::StrCat(condition.who, " -> ", condition.whom));
      case Metric::kShare:
        return Named(ShareOf(analysis_.report(), parts_, condition.who), condition.who);
      case Metric::kRuntime:
        return condition.who.empty() ? Runtime() : PhaseTime(condition.who);
      default:
        return MeasuredCondition();
    }
  }

  LimitsFound Limits() const { return LimitsOf(analysis_.report()); }
  std::vector<LimitsFound> LimitsOfParts() const {
    std::vector<LimitsFound> limits;
    for (const pb::Report& part : parts_) limits.push_back(LimitsOf(part));
    return limits;
  }
  std::map<std::string, Sample> Counts() const {
    std::map<std::string, Sample> counts;
    for (const auto& [name, times_ns] : told_.counts)
      counts[name] = RateOf(times_ns, analysis_.range());
    return counts;
  }

 private:
  // Without a name the counts tell, when all recordings are read. A recording that does not hold
  // what counts is no recording without throughput.
  absl::StatusOr<MeasuredCondition> Throughput(const std::string& progress) const {
    MeasuredCondition measured;
    if (progress.empty()) return measured;
    const auto times = analysis_.TimesOf(progress);
    if (!times.ok()) return times.status();
    measured.sample = RateOf(times->times_ns, analysis_.range());
    measured.what = times->what;
    return measured;
  }

  // The time that a command took is that of its recording.
  absl::StatusOr<MeasuredCondition> Runtime() const {
    const std::string& reason = analysis_.timeline().session().end_reason();
    if (reason != kCommandEnded)
      return absl::FailedPreconditionError(absl::StrCat(
          "its length is no runtime, as it did not end with its command (",
          reason.empty() ? "end not known" : CleanText(reason),
          "); record with gordian record -- COMMAND, or name a phase: 'runtime(PHASE)>+5%'"));
    MeasuredCondition measured;
    measured.sample.value = SecondsOf(analysis_.range().length_ns());
    measured.what = "runtime of the command";
    return measured;
  }

  absl::StatusOr<MeasuredCondition> PhaseTime(const std::string& phase) const {
    const auto durations = told_.phases.find(phase);
    if (durations == told_.phases.end()) return Named(NoSuchPhase(phase), phase);
    MeasuredCondition measured;
    measured.sample = MeanDuration(durations->second);
    measured.what = absl::StrCat("mean time of phase ", phase);
    return measured;
  }

  absl::Status NoSuchPhase(const std::string& phase) const {
    constexpr size_t kShown = 5;
    std::string names;
    size_t shown = 0;
    for (const auto& [name, durations] : told_.phases) {
      if (++shown > kShown) break;
      absl::StrAppend(&names, shown == 1 ? "" : ", ", CleanText(name));
    }
    return absl::NotFoundError(absl::StrCat(
        "no phase ", CleanText(phase), " ended; there are ", names.empty() ? "no phases" : names,
        names.empty() ? ": programs tell them with gordian_probe" : ""));
  }

  // What has no such name waits for nothing, and is no limit, in all parts of the recording.
  static MeasuredCondition Named(absl::StatusOr<Sample> sample, std::string what) {
    MeasuredCondition measured;
    measured.what = std::move(what);
    if (sample.ok()) {
      measured.sample = *std::move(sample);
    } else {
      measured.unknown_name = sample.status();
      measured.sample.parts.assign(kGateParts, 0.0);
    }
    return measured;
  }

  const Analysis& analysis_;
  std::vector<pb::Report> parts_;
  ToldCounts told_;
};

bool NeedsToldCounts(const GateRequest& request) {
  return std::any_of(request.conditions.begin(), request.conditions.end(),
                     [&](const FailCondition& condition) {
                       return (condition.metric == Metric::kThroughput && condition.who.empty() &&
                               request.progress.empty()) ||
                              (condition.metric == Metric::kRuntime && !condition.who.empty());
                     });
}

absl::StatusOr<ToldCounts> ToldCountsOf(const std::string& directory, const Analysis& analysis) {
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  return ReadToldCounts(analysis.timeline(), **session);
}

absl::StatusOr<std::vector<pb::Report>> PartsOf(const Analysis& analysis,
                                                const AnalysisOptions& options) {
  std::vector<pb::Report> parts;
  for (const TimeRange& range : GateParts(analysis.range())) {
    auto part = analysis.ReportOnPart(range, options);
    if (!part.ok()) return part.status();
    part->clear_threads();  // memory
    parts.push_back(*std::move(part));
  }
  return parts;
}

}  // namespace

absl::StatusOr<MeasuredRecording> MeasureRecording(const std::string& directory,
                                                   const Analysis& analysis,
                                                   const AnalysisOptions& options,
                                                   const GateRequest& request, bool with_parts) {
  std::vector<pb::Report> parts;
  if (with_parts) {
    auto judged = PartsOf(analysis, options);
    if (!judged.ok()) return judged.status();
    parts = *std::move(judged);
  }
  ToldCounts told;
  if (NeedsToldCounts(request)) {
    auto read = ToldCountsOf(directory, analysis);
    if (!read.ok()) return read.status();
    told = *std::move(read);
  }
  const RecordingMeter meter(analysis, std::move(parts), std::move(told));
  MeasuredRecording measured;
  measured.directory = directory;
  for (const FailCondition& condition : request.conditions) {
    auto its = meter.Measure(condition, request.progress);
    if (!its.ok())
      return absl::Status(
          its.status().code(),
          absl::StrCat("--fail-if '", CleanText(condition.text), "': ", its.status().message()));
    measured.conditions.push_back(*std::move(its));
  }
  measured.limits = meter.Limits();
  measured.limits_of_parts = meter.LimitsOfParts();
  measured.counts = meter.Counts();
  return measured;
}

}  // namespace gordian
