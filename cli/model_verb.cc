// gordian model: checks and shows the models that give logs their meaning.
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/verbs.h"
#include "jobs/models/phase_model.h"
#include "output/text_table.h"
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

}  // namespace

Verb AddModelVerb(CLI::App& app) {
  CLI::App* command = AddCommand(
      app, "model", "Check and show the models that tell what logs mean",
      "gordian model list\n"
      "gordian model show nginx > mine.yaml     (a model of one's own from a ready one)\n"
      "gordian model check mine.yaml");
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
  return {command, [command, check, list, show, name] {
            if (check->parsed()) return Check(*name);
            if (list->parsed()) return List();
            if (show->parsed()) return Show(*name);
            return FailUsage(*command, "check, list or show is missing");
          }};
}

}  // namespace gordian
