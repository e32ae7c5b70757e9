// gordian phases: which phases a job had, out of its logs or its probes.
#include "cli/phases_verb.h"

#include <unistd.h>

#include <iostream>
#include <memory>

#include "analyzer/models/phase_model.h"
#include "analyzer/phases/read_job.h"
#include "cli/output.h"
#include "cli/phase_listing.h"

namespace gordian {
namespace {

constexpr char kExamples[] =
    "gordian phases trace                                      (what its programs' probes say)\n"
    "gordian phases trace --log app.log --model mine.yaml      (a log beside a recording)\n"
    "gordian phases --log events.zst --model spark --tree      (no recording: every phase)\n"
    "gordian phases --log w1.log --log w2.log --model giraph --resources cpu.csv --json";

struct PhasesArguments {
  JobInputs inputs;
  std::string model = "probes";
  PhaseListingOptions listing;
  bool json = false;
};

int Phases(PhasesArguments& arguments) {
  auto model = LoadModel(arguments.model);
  if (!model.ok()) return Fail(model.status());
  arguments.inputs.model = *std::move(model);
  const auto reading = ReadJob(arguments.inputs);
  if (!reading.ok()) return Fail(reading.status());
  Output output(STDOUT_FILENO);
  output.Write(arguments.json ? PhaseJson(*reading, arguments.listing)
                              : PhaseText(*reading, arguments.listing));
  const absl::Status written = output.Finish();
  if (!written.ok()) return Fail(written);
  if (!arguments.json) std::cerr << CounterText(reading->counters);
  return kExitSuccess;
}

}  // namespace

Verb AddPhasesVerb(CLI::App& app) {
  const auto arguments = std::make_shared<PhasesArguments>();
  CLI::App* command = AddCommand(app, "phases", "Tell which phases a job had", kExamples);
  JobInputs& inputs = arguments->inputs;
  command->add_option("DIR", inputs.session_directory, "A recording made meanwhile");
  CLI::Option* log =
      command
          ->add_option("--log", inputs.logs,
                       "A log, plain, gzip or zstd; - reads standard input. May be repeated")
          ->type_name("FILE")
          ->expected(1)
          ->take_all();
  command
      ->add_option("--model", arguments->model,
                   "What the log's lines mean: a ready model (gordian model list) or a file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command
      ->add_option("--resources", inputs.resource_files,
                   "Samples of resources: CSV with time,resource,value[,capacity][,node]. May be "
                   "repeated")
      ->type_name("CSV")
      ->expected(1)
      ->take_all();
  command->add_option("--zone", inputs.zone, "Of times without one, rather than the model's")
      ->type_name("ZONE");
  command->add_flag("--tree", arguments->listing.tree, "Every phase, too");
  command->add_flag("--json", arguments->json, "As JSON");
  return {command, [arguments, command, log] {
            if (log->count() == 0 && arguments->inputs.session_directory.empty())
              return FailUsage(*command, "give --log FILE, or a recording's folder");
            return Phases(*arguments);
          }};
}

}  // namespace gordian
