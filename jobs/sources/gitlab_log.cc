// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/gitlab_log.h"

#include <algorithm>

#include "absl/strings/strip.h"
#include "base/time_units.h"
#include "trace/logs/decimal_time.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

constexpr std::string_view kSection = "section_";
constexpr std::string_view kCommandColor = "\x1b[32;1m$ ";
// More are no sections of a job, but damage.
constexpr size_t kMaxOpenSections = 30;

// "2024-05-30T15:32:37.812435Z 00O …": the time, and a mark of the stream.
std::optional<uint64_t> LineTime(std::string_view line, const LogTimeParser& parser) {
  const bool may_be = line.size() > 20 && line[4] == '-' && line[10] == 'T';
  return may_be ? parser.Parse(line.substr(0, line.find(' '))) : std::nullopt;
}

}  // namespace

GitlabLog::GitlabLog(LogSinks& sinks)
    : sinks_(sinks),
      time_(LogTimeFormat{.kind = LogTimeFormat::Kind::kIso8601}),
      job_type_(sinks.collector.types().Child(0, "Job")) {}

void GitlabLog::EndCommand(Section& section, uint64_t time_ns) {
  if (section.command == kNoId) return;
  sinks_.collector.SetEnd(section.command, time_ns);
  section.own_work.ChildEnds(time_ns);
  section.command = kNoId;
}

void GitlabLog::EndInnermost(uint64_t time_ns) {
  Section& section = open_.back();
  EndCommand(section, time_ns);
  if (section.phase != kNoId) {
    section.own_work.Finish(sinks_.collector, time_ns);
    sinks_.collector.SetEnd(section.phase, time_ns);
  }
  open_.pop_back();
  if (!open_.empty()) open_.back().own_work.ChildEnds(time_ns);
}

void GitlabLog::BeginSection(std::string_view name, uint64_t time_ns) {
  PhaseCollector& collector = sinks_.collector;
  const std::string_view job_keys[] = {{}, job_};
  if (job_phase_ == kNoId && job_type_ != kNoId)
    job_phase_ = collector.BeginWithin(kNoId, {.type = job_type_, .keys = job_keys}, time_ns);
  const uint32_t parent = open_.empty() ? job_phase_ : open_.back().phase;
  uint32_t phase = kNoId;
  if (parent != kNoId && open_.size() < kMaxOpenSections) {
    const PhaseTypeId type = collector.types().ChildOrNew(collector.TypeOf(parent), name);
    if (type != kNoId)
      phase = collector.BeginWithin(parent, {.type = type, .keys = job_keys}, time_ns);
  }
  if (open_.size() >= kMaxOpenSections) return;
  if (!open_.empty()) {
    EndCommand(open_.back(), time_ns);
    if (phase != kNoId) open_.back().own_work.ChildBegins(collector, phase, time_ns);
  }
  open_.push_back({std::string(name), phase, OwnWork(phase, {}, time_ns)});
}

// Ends the innermost section of that name, and those in it.
void GitlabLog::EndSection(std::string_view name, uint64_t time_ns) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Section& section) { return section.name == name; });
  if (found == open_.rend()) return sinks_.tally.Count("phase_ends_without_begin");
  const auto left = static_cast<size_t>(open_.rend() - found) - 1;
  while (open_.size() > left) EndInnermost(time_ns);
}

void GitlabLog::BeginCommand(std::string_view command, uint64_t time_ns) {
  PhaseCollector& collector = sinks_.collector;
  Section& section = open_.back();
  EndCommand(section, time_ns);
  if (section.phase == kNoId) return;
  const PhaseTypeId type = collector.types().ChildOrNew(collector.TypeOf(section.phase), "Command");
  if (type == kNoId) return;
  std::vector<std::string_view> keys(collector.types().depth(type) + 1);
  keys.back() = command;
  section.command = collector.BeginWithin(section.phase, {.type = type, .keys = keys}, time_ns);
  if (section.command != kNoId) section.own_work.ChildBegins(collector, section.command, time_ns);
}

// `mark` begins behind "section_start:" or "section_end:".
bool GitlabLog::TakeMark(std::string_view mark, bool start, std::optional<uint64_t> line_time_ns) {
  const size_t colon = mark.find(':');
  if (colon == std::string_view::npos) return false;
  const auto wall_ns = ParseDecimalNs(mark.substr(0, colon), kNsPerSecond);
  if (!wall_ns) return false;
  const auto time_ns = line_time_ns ? line_time_ns : sinks_.clock.FromWall(*wall_ns);
  std::string_view name = mark.substr(colon + 1);
  name = name.substr(0, name.find_first_of("[\r\n\x1b\\ \t"));
  if (!time_ns || name.empty() || name.size() > 200) return false;
  last_ns_ = std::max(last_ns_, *time_ns);
  if (start) {
    BeginSection(name, *time_ns);
  } else {
    EndSection(name, *time_ns);
  }
  return true;
}

bool GitlabLog::TakeLine(std::string_view line) {
  const auto wall_ns = LineTime(line, time_);
  const auto line_time_ns = wall_ns ? sinks_.clock.FromWall(*wall_ns) : std::nullopt;
  bool understood = true;
  for (size_t at = line.find(kSection); at != std::string_view::npos;
       at = line.find(kSection, at + 1)) {
    const std::string_view rest = line.substr(at + kSection.size());
    if (rest.starts_with("start:")) understood &= TakeMark(rest.substr(6), true, line_time_ns);
    if (rest.starts_with("end:")) understood &= TakeMark(rest.substr(4), false, line_time_ns);
  }
  if (!line_time_ns) return understood;
  last_ns_ = std::max(last_ns_, *line_time_ns);
  const size_t command = line.find(kCommandColor);
  if (command == std::string_view::npos || open_.empty()) return understood;
  const std::string_view text = line.substr(command + kCommandColor.size());
  BeginCommand(text.substr(0, text.find('\x1b')), *line_time_ns);
  return understood;
}

absl::Status GitlabLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  const std::string file(BaseName(name));
  job_ = std::string(absl::StripSuffix(absl::StripSuffix(file, ".txt"), ".log"));
  job_phase_ = kNoId;
  last_ns_ = 0;
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    if (!TakeLine(line))
      sinks_.tally.CountLine("log_lines_malformed", file, lines.line_number(), line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  if (!open_.empty()) sinks_.tally.Count("phase_ends_assumed", open_.size());
  while (!open_.empty()) EndInnermost(last_ns_);
  if (job_phase_ != kNoId) sinks_.collector.SetEnd(job_phase_, last_ns_);
  return lines.status();
}

}  // namespace gordian
