// SPDX-License-Identifier: Apache-2.0
// gordian model: checks, shows and fits the models that give logs their meaning.
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/tuned_job.h"
#include "cli/job_arguments.h"
#include "cli/output_file.h"
#include "cli/verbs.h"
#include "jobs/models/phase_model.h"
#include "output/phase_text.h"
#include "output/text_table.h"
#include "output/tuning_text.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Every error, one a line: a model is mended in one go.
int Check(const std::string& file) {
  std::vector<std::string> errors;
  const auto model = LoadModel(file, &errors);
  if (model.ok()) {
    size_t rules = 0;
    for (const LogRules& logs : model->logs) rules += logs.rules.size();
    std::cout << CleanText(absl::StrCat(
                     file, ": good: model ", model->job.name, ", ", model->job.types.size(),
                     " phases, ", model->job.resources.size(), " resources, ", rules, " log rules"))
              << "\n";
    return kExitSuccess;
  }
  if (errors.empty()) return Fail(model.status());
  for (const std::string& error : errors) std::cerr << CleanText(error) << "\n";
  return kExitFailure;
}

int List() {
  TextTable table({{"MODEL"}, {"WHAT IT READS"}});
  for (const ReadyModel& ready : ReadyModels()) {
    const auto model = ParseModel(ready.text, ready.name);
    if (!model.ok()) return Fail(model.status());
    table.AddRow({std::string(ready.name), model->about});
  }
  std::cout << table.ToString();
  return kExitSuccess;
}

int Show(const std::string& name) {
  const ReadyModel* model = FindReadyModel(name);
  if (model != nullptr) {
    std::cout << model->text;
    return kExitSuccess;
  }
  std::vector<std::string_view> names;
  for (const ReadyModel& ready : ReadyModels()) names.push_back(ready.name);
  const std::string_view meant = NearestWord(name, names);
  return Fail(absl::NotFoundError(
      absl::StrCat("there is no ready model '", name, "'",
                   meant.empty() ? "; see gordian model list"
                                 : absl::StrCat(", did you mean '", std::string(meant), "'?"))));
}

constexpr char kTuneExamples[] =
    "gordian model tune trace --log app.log --model mine.yaml -o tuned.yaml\n"
    "gordian model tune --log app.log --model mine.yaml --resources use.csv -o tuned.yaml\n"
    "gordian model tune trace -o tuned.yaml                        (what its programs' probes "
    "say)\n"
    "gordian phases other --log other.log --model tuned.yaml --validate   (on another run)";

struct TuneArguments {
  JobRequest job;
  std::string output;
};

// The table is for people, so it goes to stderr if the model goes to standard output.
int Tune(const CLI::App& command, const TuneArguments& arguments) {
  const JobInputs& inputs = arguments.job.inputs;
  if (inputs.logs.empty() && inputs.session_directory.empty())
    return FailUsage(command, "give --log FILE, or a recording's folder");
  auto file = OutputFile::Open(arguments.output);
  if (!file.ok()) return Fail(file.status());
  const auto tuned = TuneRecordedJob(arguments.job);
  if (!tuned.ok()) return Fail(tuned.status());
  std::cerr << CounterText(tuned->counters);
  (arguments.output == "-" ? std::cerr : std::cout) << TuningText(tuned->tuned) << std::flush;
  file->Write(tuned->tuned.yaml);
  absl::Status status = file->Finish();
  if (status.ok()) status = file->Place();
  if (!status.ok()) return Fail(status);
  if (arguments.output != "-") {
    std::cout << "\nThe model with these rules is in " << CleanText(arguments.output)
              << ". Only the comments at its beginning are kept.\n";
  }
  return kExitSuccess;
}

CLI::App* AddTuneVerb(CLI::App& command, TuneArguments& arguments) {
  CLI::App* tune =
      AddCommand(command, "tune", "Fit a model's rules to a recording, or to samples of resources",
                 kTuneExamples);
  tune->add_option("DIR", arguments.job.inputs.session_directory, "A recording made meanwhile");
  AddJobOptions(*tune, arguments.job);
  tune->add_option("-o,--output", arguments.output, "The model with the fitted rules; - is stdout")
      ->type_name("FILE")
      ->required();
  return tune;
}

}  // namespace

Verb AddModelVerb(CLI::App& app) {
  CLI::App* command = AddCommand(
      app, "model", "Check, show and fit the models that tell what logs mean",
      "gordian model list\n"
      "gordian model show nginx > mine.yaml     (a model of one's own from a ready one)\n"
      "gordian model check mine.yaml\n"
      "gordian model tune trace --log app.log --model mine.yaml -o tuned.yaml");
  command->require_subcommand(0, 1);  // a missing verb is refused below, in our own words
  const auto name = std::make_shared<std::string>();
  CLI::App* check = AddCommand(*command, "check", "Tell what is wrong with a model",
                               "gordian model check mine.yaml");
  check->add_option("FILE", *name, "The model's file, or a ready model's name")->required();
  CLI::App* list =
      AddCommand(*command, "list", "Show which models are ready", "gordian model list");
  CLI::App* show = AddCommand(*command, "show", "Print a ready model",
                              "gordian model show spark\n"
                              "gordian model show nginx > mine.yaml");
  show->add_option("NAME", *name, "The model's name")->required();
  const auto arguments = std::make_shared<TuneArguments>();
  CLI::App* tune = AddTuneVerb(*command, *arguments);
  return {command, [command, check, list, show, tune, name, arguments] {
            if (tune->parsed()) return Tune(*tune, *arguments);
            if (check->parsed()) return Check(*name);
            if (list->parsed()) return List();
            if (show->parsed()) return Show(*name);
            return FailUsage(*command, "check, list, show or tune is missing");
          }};
}

}  // namespace gordian
