// SPDX-License-Identifier: Apache-2.0
// gordian explain-log: what a line of a log had been waiting for.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/options.h"
#include "base/parallel.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "loglines/explain_log.h"
#include "output/log_explanation_text.h"
#include "output/message_json.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kExplainLogExamples[] =
    "gordian explain-log trace server.log:120\n"
    "gordian explain-log trace --log server.log --match 'timed out' --last\n"
    "gordian explain-log run1 logs/front/front.log:88 --logs logs --html why.html\n"
    "gordian explain-log web1 db1 front.log:88 --node web1 --logs db1=back.log\n"
    "gordian explain-log trace server.log:120 --thread 4711 --at 12.5s";

struct ExplainLogArguments {
  std::vector<std::string> words;  // recordings, and perhaps FILE:LINE
  std::string log;
  std::string match;
  bool last = false;
  std::vector<std::string> logs;
  LogQuestion question;
  uint64_t at_ns = 0;
  uint64_t since_ns = 0;
  size_t most_rows = 10;
  std::string json;
  std::string html;
  AnalysisOptions options;
};

absl::StatusOr<LogQuestion> LogQuestionOf(const ExplainLogArguments& arguments,
                                          std::vector<std::string>& directories) {
  LogQuestion question = arguments.question;
  directories = arguments.words;
  if (arguments.log.empty()) {
    if (directories.size() < 2)
      return absl::InvalidArgumentError(
          "name a recording, then FILE:LINE; or --log FILE --match REGEX");
    auto place = ParseLinePlace(directories.back());
    if (!place.ok()) return place.status();
    question.place = *std::move(place);
    directories.pop_back();
  } else {
    if (arguments.match.empty())
      return absl::InvalidArgumentError("--log needs --match REGEX; or name FILE:LINE");
    question.place = {.path = arguments.log, .match = arguments.match, .last = arguments.last};
  }
  auto logs = LogInputsOf(arguments.logs);
  if (!logs.ok()) return logs.status();
  question.logs = *std::move(logs);
  question.threads = ThreadCount(arguments.options.threads);
  return question;
}

int ShowExplanation(const CLI::App& command, const ExplainLogArguments& arguments,
                    const std::vector<std::string>& directories, const LogQuestion& question) {
  // Places that cannot be written are told before the work.
  std::vector<OutputFile> files;
  for (const std::string& path : {arguments.json, arguments.html}) {
    if (path.empty()) continue;
    auto file = OutputFile::Open(path);
    if (!file.ok()) return Fail(file.status());
    files.push_back(*std::move(file));
  }
  ShownProgress progress(directories.front());
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStoreForReading();
  const auto recording = ReadRecordings(directories, options.reading(),
                                        BeginStage(progress.callback(), AnalysisStage::kReading));
  if (!recording.ok()) return Fail(recording.status());
  const auto told = ExplainLine(*recording, question);
  if (!told.ok()) {
    if (absl::IsInvalidArgument(told.status()))
      return FailUsage(command, std::string(told.status().message()));
    return Fail(told.status());
  }
  if (files.empty()) return PrintOrFail(LogExplanationText(*told, arguments.most_rows));
  size_t next = 0;
  if (!arguments.json.empty()) files[next++].Write(MessageJson(*told, JsonShape::kPretty));
  if (!arguments.html.empty()) files[next++].Write(LogExplanationHtml(*told));
  const absl::Status written = PlaceTogether(files);
  return written.ok() ? kExitSuccess : Fail(written);
}

void AddLineOptions(CLI::App& command, ExplainLogArguments& arguments) {
  command
      .add_option("--log", arguments.log, "The line is in this file: the one that --match finds")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command.add_option("--match", arguments.match, "… the first that matches (a regex of RE2)")
      ->check(NotEmpty("the regular expression"))
      ->type_name("REGEX")
      ->needs("--log");
  command.add_flag("--last", arguments.last, "… the last instead")->needs("--match");
  command
      .add_option("--node", arguments.question.node,
                  "The file was written on this node (default: the node a folder of its path is "
                  "called as, else any)")
      ->check(NotEmpty("the node's name"))
      ->type_name("NAME");
  command
      .add_option("--thread", arguments.question.thread,
                  "This thread wrote the line, whatever the log tells")
      ->check(NotEmpty("the thread's name"))
      ->type_name("NAME|TID");
  command
      .add_option("--zone", arguments.question.zone,
                  "The zone of times without one, as Europe/Berlin (default: the one that brings "
                  "the line into the recording)")
      ->check(NotEmpty("the zone's name"))
      ->type_name("ZONE");
}

}  // namespace

Verb AddExplainLogVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ExplainLogArguments>();
  CLI::App* command = AddCommand(
      app, "explain-log", "Tell what a line of a log had been waiting for", kExplainLogExamples);
  command
      ->add_option("DIR", arguments->words,
                   "A recording of one node or of many, or several, and the line")
      ->type_name("[DIR2…] FILE:LINE")
      ->required();
  AddLineOptions(*command, *arguments);
  command
      ->add_option("--logs", arguments->logs,
                   "Other logs, or folders of logs, to find lines in that belong to it; NODE=FILE "
                   "tells the node")
      ->check(NotEmpty("the file's name"))
      ->type_name("[NODE=]FILE");
  CLI::Option* at = command
                        ->add_option("--at", arguments->at_ns,
                                     "The line's moment, counted from the recording's start, "
                                     "whatever its time stamp says")
                        ->transform(TimeInNs())
                        ->type_name("TIME");
  CLI::Option* since =
      command
          ->add_option("--since", arguments->since_ns,
                       "Its work began then (default: when it was asked by the one that waits for "
                       "it, or as far as its waits tell)")
          ->transform(TimeInNs())
          ->type_name("TIME");
  command->add_option("--top", arguments->most_rows, "So many rows of each table")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  const auto add_file = [command](const char* name, std::string& path, const char* what) {
    command->add_option(name, path, what)->check(NotEmpty("the file's name"))->type_name("FILE");
  };
  add_file("--json", arguments->json, "JSON instead of text, into this file; - prints it");
  add_file("--html", arguments->html, "A page instead of text, likewise");
  command->add_option("--threads", arguments->options.threads, "Threads to work with")
      ->check(WholeNumber(1, 1024))
      ->type_name("N");
  return {command, [arguments, command, at, since] {
            if (!at->empty()) arguments->question.at_ns = arguments->at_ns;
            if (!since->empty()) arguments->question.since_ns = arguments->since_ns;
            std::vector<std::string> directories;
            const auto question = LogQuestionOf(*arguments, directories);
            if (!question.ok())
              return FailUsage(*command, std::string(question.status().message()));
            return ShowExplanation(*command, *arguments, directories, *question);
          }};
}

}  // namespace gordian
