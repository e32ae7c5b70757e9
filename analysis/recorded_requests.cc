// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_requests.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/analysis.h"
#include "analysis/phase_requests.h"
#include "analysis/recorded_flows.h"
#include "analysis/recorded_phases.h"
#include "analysis/request_messages.h"
#include "base/parallel.h"
#include "report/time_range.h"
#include "requests/request_times.h"
#include "trace/counters.h"

namespace gordian {
namespace {

bool NamesTarget(const TargetOptions& target) {
  return !target.pids.empty() || !target.comms.empty() || !target.cgroups.empty() ||
         !target.nodes.empty();
}

// Empty: all threads.
std::vector<uint8_t> ThreadsThatAnswer(const Analysis& analysis, const TargetOptions& target) {
  if (NamesTarget(target)) return analysis.TargetThreads();
  const Timeline& timeline = analysis.timeline();
  std::vector<uint8_t> is_target(timeline.thread_count());
  bool has_target = false;
  for (EntityId thread = 0; thread < is_target.size(); ++thread) {
    is_target[thread] = timeline.entities()[thread].target ? 1 : 0;
    has_target |= is_target[thread] != 0;
  }
  return has_target ? is_target : std::vector<uint8_t>();
}

absl::Status NoRequests(const std::string& directory, const RequestsQuestion& question) {
  if (!question.phase.empty())
    return absl::NotFoundError(absl::StrCat("no phase is called ", question.phase, " in ",
                                            directory,
                                            "; gordian query lists those there are: SELECT "
                                            "DISTINCT name FROM phase"));
  return absl::NotFoundError(absl::StrCat(
      "no thread that was asked for answered on a TCP connection in ", directory,
      "; unix sockets and pipes are seen if you record with --local-messages all; phases of the "
      "probe (docs/probe-guide.md) tell others: ask with --phase"));
}

void AddRequestCounter(std::string_view name, uint64_t value, pb::Requests& told) {
  if (value == 0) return;
  pb::RequestCounter& counter = *told.add_counters();
  counter.set_name(std::string(name));
  counter.set_value(value);
}

void AddRequestCounters(const FoundRequests& found, const RequestStepCounts& steps,
                        const Timeline& timeline, pb::Requests& told) {
  AddRequestCounter("requests_without_answer", found.counts.without_answer, told);
  AddRequestCounter("answers_without_request", found.counts.without_request, told);
  AddRequestCounter("requests_in_parts", found.counts.in_several_parts, told);
  AddRequestCounter("requests_without_thread", found.counts.without_thread, told);
  AddRequestCounter("packets_without_flow", found.counts.packets_without_flow, told);
  AddRequestCounter("connections_passed_on", found.counts.passed_on, told);
  AddRequestCounter("pipes_without_requests", found.counts.pipes_left_out, told);
  AddRequestCounter("requests_cut_short", steps.cut_short, told);
  AddRequestCounter("request_causes_asleep", steps.causes_asleep, told);
  AddRequestCounter("request_waits_by_likeness", steps.by_likeness, told);
  AddRequestCounter("request_waits_not_known", steps.not_known, told);
  AddRequestCounter("request_waits_too_deep", steps.nested_too_deep, told);
  if (told.found_by() == "packets" && timeline.session().chains_end_at_targets())
    AddRequestCounter("requests_seen_by_wakes", timeline.node_count(), told);
  for (const NamedCount& loss : timeline.counters()) {
    const CounterDefinition* definition = FindCounter(loss.name);
    if (definition != nullptr && definition->severity != CounterSeverity::kInfo)
      AddRequestCounter(loss.name, loss.value, told);
  }
}

// In the order of their answers.
void WriteCsv(const FoundRequests& found, const RequestWalk& walk, const RequestMessages& messages,
              const std::function<void(std::string_view line)>& write) {
  write(RequestMessages::CsvTitles());
  RequestStepCounts counted_before;
  for (const Request& request : found.requests)
    write(messages.CsvLine(request, walk.StepsOf(request, counted_before)));
}

// `directory`: to ask the recording again; empty: it has none. `folders`: its name in errors.
absl::StatusOr<pb::Requests> AnswerOfFolders(const Analysis& analysis, const std::string& directory,
                                             const std::string& folders,
                                             const RequestsQuestion& question,
                                             const AnalysisOptions& options,
                                             const AnalysisProgress& progress) {
  const bool by_phase = !question.phase.empty();
  const RecordedPhases phases =
      by_phase ? ReadThreadPhases(analysis.recording()) : RecordedPhases();
  const std::vector<FlowTable> flows = ReadFlows(analysis.recording(), options.threads);
  const Timeline& timeline = analysis.timeline();
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), options.range.from_ns, options.range.to_ns);
  const std::vector<uint8_t> is_target = ThreadsThatAnswer(analysis, options.target);
  const RequestSearch search = {.is_target = is_target,
                                .ports = question.ports,
                                .from_ns = range.from_ns,
                                .to_ns = range.to_ns,
                                .threads = ThreadCount(options.threads)};
  FoundRequests found = FindRequests(timeline, flows, search);
  if (by_phase) {
    found.others.insert(found.others.end(), found.requests.begin(), found.requests.end());
    found.requests = RequestsOfPhases(phases, question.phase, search);
    found.counts = {};
  }
  if (question.stop_asked()) return absl::CancelledError("nobody waits for the requests any more");
  if (found.requests.empty()) return NoRequests(folders, question);
  const RequestWalk walk(timeline, found);
  const RequestMessages messages(analysis, found, directory);
  RequestTimesOptions times_options = {.most_slowest = question.most_slowest,
                                       .threads = ThreadCount(options.threads),
                                       .progress = BeginStage(progress, AnalysisStage::kDetails),
                                       .stop_asked = question.stop_asked};
  const RequestTimes times = RequestTimesOf(found, walk, messages.parties(), times_options);
  if (question.stop_asked()) return absl::CancelledError("nobody waits for the requests any more");
  pb::Requests told = messages.Told(times, question.phase, question.most_steps);
  AddRequestCounters(found, times.counts, timeline, told);
  if (question.csv) WriteCsv(found, walk, messages, question.csv);
  return told;
}

}  // namespace

absl::StatusOr<pb::Requests> RequestsOfRecording(const std::vector<std::string>& directories,
                                                 const RequestsQuestion& question,
                                                 const AnalysisOptions& options,
                                                 const AnalysisProgress& progress) {
  const auto reading = BeginStage(progress, AnalysisStage::kReading);
  const bool is_one = directories.size() == 1;
  const std::string& directory = directories.front();
  auto recording = is_one ? ReadRecording(directory, options.reading(), reading)
                          : ReadRecordingsAsNodes(directories, options.reading(), reading);
  if (!recording.ok()) return recording.status();
  // The range is that of requests; vertices and their names are those of the whole recording.
  AnalysisOptions of_whole = options;
  of_whole.range = {};
  const auto analysis = Analysis::Run(*std::move(recording), of_whole, progress);
  if (!analysis.ok()) return analysis.status();
  return AnswerOfFolders(*analysis, is_one ? directory : "", absl::StrJoin(directories, ", "),
                         question, options, progress);
}

absl::StatusOr<pb::Requests> RequestsOfAnalysis(const Analysis& analysis,
                                                const RequestsQuestion& question,
                                                const AnalysisOptions& options,
                                                const AnalysisProgress& progress) {
  const std::string& directory = analysis.recording().directory;
  return AnswerOfFolders(analysis, directory, directory, question, options, progress);
}

}  // namespace gordian
