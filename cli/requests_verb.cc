// SPDX-License-Identifier: Apache-2.0
// gordian requests: how long a server's requests took, and where their time went.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recorded_requests.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/requests_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kRequestsExamples[] =
    "gordian requests trace                          (all servers of the recording)\n"
    "gordian requests trace --target nginx --port 80\n"
    "gordian requests web1 db1                       (recordings of two nodes as one)\n"
    "gordian requests trace --from 10s --to 20s --slowest 20\n"
    "gordian requests trace --phase request          (phases that the program told)\n"
    "gordian requests trace --csv requests.csv       (a row for each request)\n"
    "gordian requests trace --json - | jq '.ports[0].percentiles[2].times'";

constexpr size_t kMostSlowest = 10'000;

struct RequestsArguments {
  std::vector<std::string> directories;
  RequestsQuestion question;
  RequestsTextOptions text;
  std::string json;  // a file, or -
  std::string csv;   // likewise
  AnalysisOptions options;
};

int TellRequests(const CLI::App& command, const RequestsArguments& arguments) {
  // Places that cannot be written are told before the work.
  std::vector<OutputFile> files;
  for (const std::string& path : {arguments.json, arguments.csv}) {
    if (path.empty()) continue;
    auto file = OutputFile::Open(path);
    if (!file.ok()) return Fail(file.status());
    files.push_back(*std::move(file));
  }
  RequestsQuestion question = arguments.question;
  question.most_slowest = arguments.text.most_slowest;
  if (!arguments.csv.empty())
    question.csv = [&files](std::string_view line) { files.back().Write(line); };
  absl::StatusOr<pb::Requests> told;
  {
    ShownProgress progress(arguments.directories.front());
    AnalysisOptions options = arguments.options;
    options.store = OpenOwnStore(/*quiet=*/true);
    told = RequestsOfRecording(arguments.directories, question, options, progress.callback());
  }
  if (absl::IsInvalidArgument(told.status()))
    return FailUsage(command, std::string(told.status().message()));
  if (!told.ok()) return Fail(told.status());
  if (files.empty()) return PrintOrFail(RequestsText(*told, arguments.text));
  if (!arguments.json.empty()) files.front().Write(MessageJson(*told, JsonShape::kPretty));
  const absl::Status written = PlaceTogether(files);
  return written.ok() ? kExitSuccess : Fail(written);
}

void AddRequestOutputs(CLI::App& command, RequestsArguments& arguments) {
  command
      .add_option("--slowest", arguments.text.most_slowest,
                  "So many of the slowest requests of each port")
      ->check(WholeNumber(0, kMostSlowest))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--top", arguments.text.most_rows, "So many rows in the tables of times")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--json", arguments.json, "JSON instead of text, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      .add_option("--csv", arguments.csv,
                  "A row for each request, with its time by kind, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
}

}  // namespace

Verb AddRequestsVerb(CLI::App& app) {
  const auto arguments = std::make_shared<RequestsArguments>();
  CLI::App* command =
      AddCommand(app, "requests", "Tell how long a server's requests took, and where it went",
                 kRequestsExamples);
  command
      ->add_option("DIR", arguments->directories,
                   "A recording, of one node or of many; several folders are nodes of one")
      ->required()
      ->check(NotEmpty("the folder's name"));
  AddTargetOptions(*command, arguments->options.target);
  command
      ->add_option("--target", arguments->options.target.comms,
                   "The same as --comm: threads and processes of this name answer (repeatable)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  AddNodeOption(*command, arguments->options.target);
  CLI::Option* port = command
                          ->add_option("--port", arguments->question.ports,
                                       "Only requests to this port of a server (repeatable)")
                          ->check(WholeNumber(1, UINT16_MAX))
                          ->allow_extra_args(false)
                          ->type_name("PORT");
  command
      ->add_option("--phase", arguments->question.phase,
                   "Instead of packets: each phase of this name, as the program told it by its "
                   "probes, is a request")
      ->check(NotEmpty("the phase's name"))
      ->type_name("NAME")
      ->excludes(port);
  AddTimeRangeOptions(*command, arguments->options.range);
  AddRequestOutputs(*command, *arguments);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command] {
            if (arguments->json == "-" && arguments->csv == "-")
              return FailUsage(*command, "--json and --csv cannot both be printed: name a file");
            return TellRequests(*command, *arguments);
          }};
}

}  // namespace gordian
