// SPDX-License-Identifier: Apache-2.0
// gordian symbolize: the names of the code in a session's stacks, once more.
#include <iostream>
#include <memory>
#include <string>

#include "cli/verbs.h"
#include "fmt/format.h"
#include "recorder/stacks/symbolize.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

struct SymbolizeArguments {
  std::string directory;
  bool quiet = false;
};

int Symbolize(const SymbolizeArguments& arguments) {
  const std::string& directory = arguments.directory;
  const absl::StatusOr<SymbolizeResult> result = SymbolizeSession(directory);
  if (!result.ok()) return Fail(result.status());
  if (arguments.quiet) return kExitSuccess;
  const double share = result->frames == 0 ? 0
                                           : static_cast<double>(result->named_frames) /
                                                 static_cast<double>(result->frames);
  std::cout << fmt::format("named {} of the code in {} stacks of {}\n", PercentText(share),
                           FormatCount(result->stacks), CleanText(directory));
  for (const std::string& note : result->notes) std::cout << CleanText(note) << "\n";
  return kExitSuccess;
}

}  // namespace

Verb AddSymbolizeVerb(CLI::App& app) {
  const auto arguments = std::make_shared<SymbolizeArguments>();
  CLI::App* command =
      AddCommand(app, "symbolize", "Name the code in a recording's stacks once more",
                 "apt install postgresql-15-dbgsym && gordian symbolize trace\n"
                 "gordian snapshot web -o cut && gordian symbolize cut");
  command->add_option("DIR", arguments->directory, "The session's folder")
      ->required()
      ->check(NotEmpty("the folder's name"))
      ->type_name("");
  AddQuietOption(*command, arguments->quiet, "Show errors only");
  return Verb{command, [arguments] { return Symbolize(*arguments); }};
}

}  // namespace gordian
