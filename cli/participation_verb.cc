// SPDX-License-Identifier: Apache-2.0
// gordian participation: who is how much of the critical paths, in each window of time.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/participation_of.h"
#include "analysis/recording_participation.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/critical_flame.h"
#include "output/message_json.h"
#include "output/participation_text.h"
#include "trace/activities/activity_files.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kParticipationExamples[] =
    "gordian participation graph                     (activities, threads, operators, links)\n"
    "gordian participation graph --window 1s --by thread\n"
    "gordian participation graph --from 10s --to 12s --by operator --top 30\n"
    "gordian participation graph --critical-path\n"
    "gordian participation trace --comm postgres --by vertex --window 1s   (of a recording)\n"
    "gordian participation trace --flame critical.folded\n"
    "gordian participation graph --between 1500000 2500000 --json - | jq '.windows[0].rows'";

struct ParticipationArguments {
  std::string directory;
  ParticipationRequest request;
  RangeOptions range;
  std::vector<uint64_t> between;  // nothing, or two
  std::string by;                 // empty: the four summaries
  ParticipationTextOptions text;
  bool critical_path = false;
  std::string json;         // a file, or -
  std::string flame;        // likewise
  AnalysisOptions options;  // of recordings
};

ParticipationRequest RequestOf(const ParticipationArguments& arguments) {
  ParticipationRequest request = arguments.request;
  request.from_ns = arguments.range.from_ns;
  request.to_ns = arguments.range.to_ns;
  if (arguments.between.size() == 2)
    request.between = ClockRange{arguments.between[0], arguments.between[1]};
  if (const auto by = ParticipationByNamed(arguments.by)) {
    request.by = {*by};
  } else if (arguments.json.empty()) {
    request.by = {ParticipationBy::kActivity, ParticipationBy::kThread, ParticipationBy::kOperator,
                  ParticipationBy::kLink};
  }
  return request;
}

constexpr size_t kMostSteps = 50;

// What is asked for, as text or JSON.
absl::StatusOr<std::string> Answer(const ParticipationArguments& arguments) {
  const ParticipationRequest request = RequestOf(arguments);
  if (arguments.critical_path) {
    const auto path = CriticalPathOf(arguments.directory, request);
    if (!path.ok()) return path.status();
    return arguments.json.empty() ? CriticalPathText(*path, kMostSteps)
                                  : MessageJson(*path, JsonShape::kPretty);
  }
  ShownProgress progress(arguments.directory);
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStore(/*quiet=*/true);
  const auto answers = ParticipationOf(arguments.directory, request, options, progress.callback());
  if (!answers.ok()) return answers.status();
  return arguments.json.empty() ? ParticipationText(*answers, arguments.text)
                                : MessageJson(answers->front(), JsonShape::kPretty);
}

int FailAsTold(const CLI::App& command, const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return FailUsage(command, std::string(status.message()));
  return Fail(status);
}

int WriteFlame(const CLI::App& command, const ParticipationArguments& arguments) {
  const FlameFormat format = FlameFormatOf(arguments.flame);
  if (format == FlameFormat::kPprof && arguments.flame == "-")
    return FailUsage(command, "--flame: pprof is binary; name a file");
  auto file = OutputFile::Open(arguments.flame);
  if (!file.ok()) return Fail(file.status());
  if (IsActivityGraph(arguments.directory))
    return FailUsage(command, "--flame is for recordings: an activity graph has no stacks");
  ShownProgress progress(arguments.directory);
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStore(/*quiet=*/true);
  const auto answer = ParticipationOfRecording(arguments.directory, RequestOf(arguments), options,
                                               true, progress.callback());
  if (!answer.ok()) return FailAsTold(command, answer.status());
  file->Write(CriticalFlame(answer->stacks, answer->code, format, arguments.directory,
                            answer->recorded_seconds));
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
}

int Participate(const CLI::App& command, const ParticipationArguments& arguments) {
  if (!arguments.flame.empty()) return WriteFlame(command, arguments);
  // A place that cannot be written is told before the work.
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  const auto text = Answer(arguments);
  if (!text.ok()) return FailAsTold(command, text.status());
  if (arguments.json.empty()) return PrintOrFail(text);
  file->Write(*text);
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
}

}  // namespace

Verb AddParticipationVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ParticipationArguments>();
  CLI::App* command = AddCommand(app, "participation", "Tell who is how much of the critical paths",
                                 kParticipationExamples);
  command
      ->add_option("DIR", arguments->directory,
                   "An activity graph that gordian import made, or a recording")
      ->required()
      ->check(NotEmpty("the folder's name"));
  CLI::Option* path = command->add_flag(
      "--critical-path", arguments->critical_path,
      "Instead: the longest chain of activities back from the last end, step by step");
  CLI::Option* window =
      command
          ->add_option("--window", arguments->request.window_ns,
                       "One window after the other, each of this length (1s, 100ms); without it "
                       "the whole range is one window")
          ->transform(TimeInNs())
          ->type_name("TIME")
          ->excludes(path);
  AddTimeRangeOptions(*command, arguments->range);
  command
      ->add_option("--between", arguments->between,
                   "Instead of all these: one window, in nanoseconds of the graph's own clock; of "
                   "a recording, since its start")
      ->expected(2)
      ->check(WholeNumber(0, std::numeric_limits<int64_t>::max()))
      ->type_name("FROM_NS TO_NS")
      ->excludes(window)
      ->excludes(command->get_option("--from"))
      ->excludes(command->get_option("--to"));
  command
      ->add_option("--by", arguments->by,
                   "Rows by activity, thread, vertex, operator, function, link or phase (default: "
                   "tables by activity, thread, operator and link; as JSON by activity). In an "
                   "imported graph a type is an activity, a worker a thread, all workers of one "
                   "name but for a number behind ' #' a vertex, a label an operator; it has no "
                   "functions and phases")
      ->check(CLI::IsMember(std::vector<std::string>(kParticipationByNames.begin(),
                                                     kParticipationByNames.end()))
                  .description(""))
      ->type_name("WHAT")
      ->excludes(path);
  command
      ->add_option("--top", arguments->text.most_rows, "So many rows in a table; the others in one")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--json", arguments->json, "JSON instead of text, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      ->add_option("--flame", arguments->flame,
                   "Of a recording: instead, the critical flame graph, stacks of running threads "
                   "by the time that they are on the average path; folded, or in the format of "
                   "speedscope (.json) or pprof (.pb, .pb.gz)")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE")
      ->excludes(command->get_option("--json"))
      ->excludes(command->get_option("--by"));
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command, window] {
            if (!window->empty() && arguments->request.window_ns == 0)
              return FailUsage(*command, "--window 0 holds no time");
            return Participate(*command, *arguments);
          }};
}

}  // namespace gordian
