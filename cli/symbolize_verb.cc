// gordian symbolize: the names of the code in a session's stacks, once more.
#include <iostream>
#include <memory>
#include <string>

#include "cli/verbs.h"
#include "fmt/format.h"
#include "recorder/stacks/symbolize.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

int Symbolize(const std::string& directory) {
  const absl::StatusOr<SymbolizeResult> result = SymbolizeSession(directory);
  if (!result.ok()) return Fail(result.status());
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
  const auto directory = std::make_shared<std::string>();
  CLI::App* command =
      AddCommand(app, "symbolize", "Name the code in a recording's stacks once more",
                 "apt install postgresql-15-dbgsym && gordian symbolize trace\n"
                 "gordian snapshot web -o cut && gordian symbolize cut");
  command->add_option("DIR", *directory, "The session's folder")->required()->type_name("");
  return Verb{command, [directory] { return Symbolize(*directory); }};
}

}  // namespace gordian
