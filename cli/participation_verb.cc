// SPDX-License-Identifier: Apache-2.0
// gordian participation: who is how much of the critical paths, in each window of time.
#include <memory>
#include <string>

#include "analysis/participation_of.h"
#include "analysis/recording_participation.h"
#include "cli/analysis_progress.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/participation_arguments.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/critical_flame.h"
#include "output/message_json.h"
#include "output/participation_text.h"
#include "trace/activities/activity_files.h"

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

constexpr size_t kMostSteps = 50;

// What is asked for, as text or JSON.
absl::StatusOr<std::string> Answer(const ParticipationArguments& arguments) {
  const ParticipationRequest request = ParticipationRequestOf(arguments);
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
  return ParticipationAnswer(arguments, *answers);
}

int FailAsTold(const CLI::App& command, const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return FailUsage(command, std::string(status.message()));
  return Fail(status);
}

int WriteFlame(const CLI::App& command, const ParticipationArguments& arguments) {
  const FlameFormat format = FlameFormatOf(arguments.flame);
  auto file = OutputFile::Open(arguments.flame);
  if (!file.ok()) return Fail(file.status());
  if (IsActivityGraph(arguments.directory))
    return FailUsage(command, "--flame is for recordings: an activity graph has no stacks");
  ShownProgress progress(arguments.directory);
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStore(/*quiet=*/true);
  const auto answer = ParticipationOfRecording(
      arguments.directory, ParticipationRequestOf(arguments), options, true, progress.callback());
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
  AddParticipationOptions(*command, *arguments);
  return {command, [arguments, command] {
            const absl::Status checked = CheckParticipationArguments(*command, *arguments);
            return checked.ok() ? Participate(*command, *arguments) : FailAsTold(*command, checked);
          }};
}

}  // namespace gordian
