// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/github_log.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "jobs/sources/line_template.h"
#include "jobs/sources/own_work.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

constexpr std::string_view kGroup = "##[group]";
constexpr std::string_view kEndGroup = "##[endgroup]";
constexpr std::string_view kJobName = "Complete job name: ";

// What the runner writes first when it turns to something that is not in the workflow.
struct OwnStep {
  std::string_view line_begins;
  std::string_view step;
};
constexpr OwnStep kOwnSteps[] = {
    {"Post job cleanup.", "Post job cleanup"},
    {"Print service container logs: ", "Stop containers"},
    {"Stop and remove container: ", "Stop containers"},
    {"Cleaning up orphan processes", "Complete job"},
};

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

GithubLog::GithubLog(LogSinks& sinks)
    : sinks_(sinks),
      time_(LogTimeFormat{.kind = LogTimeFormat::Kind::kIso8601}),
      job_type_(sinks.collector.types().Child(0, "Job")) {}

void GithubLog::BeginStep(std::string_view name, uint64_t time_ns, JobLog& job) {
  if (!job.steps.empty()) {
    Step& last = job.steps.back();
    last.span.end_ns = time_ns;
    if (job.in_group) last.groups.back().end_ns = time_ns;
  }
  job.in_group = job.in_head = false;
  if (++phases_ > PhaseCollector::kMaxPhases) return sinks_.tally.Count("phases_over_limit");
  job.steps.push_back({{std::string(name), time_ns, time_ns}, {}});
}

void GithubLog::BeginGroup(std::string_view name, uint64_t time_ns, JobLog& job) {
  if (job.in_group) job.steps.back().groups.back().end_ns = time_ns;
  job.in_group = false;
  if (++phases_ > PhaseCollector::kMaxPhases) return sinks_.tally.Count("phases_over_limit");
  job.steps.back().groups.push_back({std::string(name), time_ns, time_ns});
  job.in_group = true;
}

// `names_step`: the line's own first columns do, so that the text only tells of groups.
void GithubLog::TakeText(std::string_view text, bool names_step, uint64_t time_ns, JobLog& job) {
  if (TakePrefix(text, kJobName)) {
    if (!names_step) job.name = std::string(text);
    job.prepared = true;
    return;
  }
  if (text == kEndGroup) {
    if (job.in_group) job.steps.back().groups.back().end_ns = time_ns;
    job.in_group = job.in_head = false;
    return;
  }
  if (TakePrefix(text, kGroup)) {
    if (text.starts_with("Run ")) {
      if (!names_step) BeginStep(text, time_ns, job);
      job.in_head = true;
      return;
    }
    // Between the job's name and its first step the runner only groups what it does for containers.
    if (!names_step && job.prepared && job.steps.size() == 1)
      BeginStep("Initialize containers", time_ns, job);
    if (!job.in_head) BeginGroup(text, time_ns, job);
    return;
  }
  if (names_step) return;
  for (const OwnStep& own : kOwnSteps) {
    const bool again = own.step == "Stop containers" && job.steps.back().span.name == own.step;
    if (text.starts_with(own.line_begins) && !again) return BeginStep(own.step, time_ns, job);
  }
}

// Lines without a time continue the one before.
bool GithubLog::TakeLine(std::string_view line, const std::string& file) {
  TakePrefix(line, "\xEF\xBB\xBF");
  std::string_view job_name, step_name;
  const size_t tab = line.find('\t');
  const size_t second_tab = tab == std::string_view::npos ? tab : line.find('\t', tab + 1);
  if (second_tab != std::string_view::npos && line.find(' ') != 28) {
    job_name = line.substr(0, tab);
    step_name = line.substr(tab + 1, second_tab - tab - 1);
    line.remove_prefix(second_tab + 1);
    TakePrefix(line, "\xEF\xBB\xBF");
  }
  const size_t blank = std::min(line.find(' '), line.size());
  const auto wall_ns = time_.Parse(line.substr(0, blank));
  const auto time_ns = wall_ns ? sinks_.clock.FromWall(*wall_ns) : std::nullopt;
  if (!time_ns) return !jobs_.empty();
  const auto [entry, is_new] = jobs_.try_emplace(std::string(job_name));
  JobLog& job = entry->second;
  const bool names_step = !step_name.empty() && step_name != "UNKNOWN STEP";
  if (is_new) {
    job.name = job_name.empty() ? file : std::string(job_name);
    job.start_ns = job.last_ns = *time_ns;
    BeginStep(names_step ? step_name : "Set up job", *time_ns, job);
  } else if (names_step && (job.steps.empty() || job.steps.back().span.name != step_name)) {
    BeginStep(step_name, *time_ns, job);
  }
  job.start_ns = std::min(job.start_ns, *time_ns);
  job.last_ns = std::max(job.last_ns, *time_ns);
  if (!job.steps.empty())
    TakeText(line.substr(std::min(blank + 1, line.size())), names_step, *time_ns, job);
  return true;
}

void GithubLog::HandOverStep(const Step& step, uint32_t job, std::string_view job_name) {
  PhaseCollector& collector = sinks_.collector;
  const std::string_view step_keys[] = {{}, job_name};
  const PhaseTypeId type = collector.types().ChildOrNew(job_type_, AsTypeName(step.span.name));
  if (type == kNoId) return;
  const uint32_t phase = collector.AddWithin(job, {.type = type, .keys = step_keys},
                                             step.span.start_ns, step.span.end_ns);
  if (phase == kNoId) return;
  OwnWork own_work(phase, {}, step.span.start_ns);
  for (const Span& group : step.groups) {
    const PhaseTypeId group_type = collector.types().ChildOrNew(type, "Group");
    if (group_type == kNoId) return;
    const std::string_view keys[] = {{}, job_name, {}, group.name};
    const uint32_t within = collector.AddWithin(phase, {.type = group_type, .keys = keys},
                                                group.start_ns, group.end_ns);
    if (within == kNoId) return;
    own_work.ChildBegins(collector, within, group.start_ns);
    own_work.ChildEnds(group.end_ns);
  }
  own_work.Finish(collector, step.span.end_ns);
}

void GithubLog::HandOver() {
  for (auto& [first_column, job] : jobs_) {
    if (job_type_ == kNoId) break;
    const std::string_view keys[] = {{}, job.name};
    const uint32_t phase = sinks_.collector.AddWithin(kNoId, {.type = job_type_, .keys = keys},
                                                      job.start_ns, job.last_ns);
    if (phase == kNoId) continue;
    if (!job.steps.empty()) job.steps.back().span.end_ns = job.last_ns;
    if (job.in_group) job.steps.back().groups.back().end_ns = job.last_ns;
    for (const Step& step : job.steps) HandOverStep(step, phase, job.name);
  }
}

absl::Status GithubLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  std::string file(BaseName(name));
  const std::string without_ending(absl::StripSuffix(absl::StripSuffix(file, ".txt"), ".log"));
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    if (!line.empty() && !TakeLine(line, without_ending))
      sinks_.tally.CountLine("log_lines_unknown", file, lines.line_number(), line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  HandOver();
  jobs_.clear();
  phases_ = 0;
  return lines.status();
}

}  // namespace gordian
