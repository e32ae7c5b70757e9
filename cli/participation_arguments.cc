// SPDX-License-Identifier: Apache-2.0
#include "cli/participation_arguments.h"

#include <limits>

#include "cli/analysis_arguments.h"
#include "output/critical_flame.h"
#include "output/message_json.h"
#include "words/quantity_options.h"

namespace gordian {

ParticipationRequest ParticipationRequestOf(const ParticipationArguments& arguments) {
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

std::string ParticipationAnswer(const ParticipationArguments& arguments,
                                const std::vector<pb::Participation>& answers) {
  return arguments.json.empty() ? ParticipationText(answers, arguments.text)
                                : MessageJson(answers.front(), JsonShape::kPretty);
}

absl::Status CheckParticipationArguments(const CLI::App& command,
                                         const ParticipationArguments& arguments) {
  if (!command.get_option("--window")->empty() && arguments.request.window_ns == 0)
    return absl::InvalidArgumentError("--window 0 holds no time");
  if (arguments.flame == "-" && FlameFormatOf(arguments.flame) == FlameFormat::kPprof)
    return absl::InvalidArgumentError("--flame: pprof is binary; name a file");
  return absl::OkStatus();
}

void AddParticipationOptions(CLI::App& command, ParticipationArguments& arguments) {
  command
      .add_option("DIR", arguments.directory,
                  "An activity graph that gordian import made, or a recording")
      ->required()
      ->check(NotEmpty("the folder's name"));
  CLI::Option* path = command.add_flag(
      "--critical-path", arguments.critical_path,
      "Instead: the longest chain of activities back from the last end, step by step");
  CLI::Option* window =
      command
          .add_option("--window", arguments.request.window_ns,
                      "One window after the other, each of this length (1s, 100ms); without it "
                      "the whole range is one window")
          ->transform(TimeInNs())
          ->type_name("TIME")
          ->excludes(path);
  AddTimeRangeOptions(command, arguments.range);
  command
      .add_option("--between", arguments.between,
                  "Instead of all these: one window, in nanoseconds of the graph's own clock; of "
                  "a recording, since its start")
      ->expected(2)
      ->check(WholeNumber(0, std::numeric_limits<int64_t>::max()))
      ->type_name("FROM_NS TO_NS")
      ->excludes(window)
      ->excludes(command.get_option("--from"))
      ->excludes(command.get_option("--to"));
  command
      .add_option("--by", arguments.by,
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
      .add_option("--top", arguments.text.most_rows, "So many rows in a table; the others in one")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--json", arguments.json, "JSON instead of text, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      .add_option("--flame", arguments.flame,
                  "Of a recording: instead, the critical flame graph, stacks of running threads "
                  "by the time that they are on the average path; folded, or in the format of "
                  "speedscope (.json) or pprof (.pb, .pb.gz)")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE")
      ->excludes(command.get_option("--json"))
      ->excludes(command.get_option("--by"));
  AddTargetOptions(command, arguments.options.target);
  AddNodeOption(command, arguments.options.target);
  AddGraphOptions(command, arguments.options);
}

}  // namespace gordian
