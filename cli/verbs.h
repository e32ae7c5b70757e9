// Every verb of gordian. Each has a file of its own, cli/NAME_verb.cc, with one function that adds
// it; a new one adds its line here, in verbs.cc and in CMakeLists.txt.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/verb.h"

namespace gordian {

Verb AddAnalyzeVerb(CLI::App& app);
Verb AddProfileVerb(CLI::App& app);
Verb AddGraphVerb(CLI::App& app);
Verb AddTimelineVerb(CLI::App& app);
Verb AddDiffVerb(CLI::App& app);
Verb AddWhatIfVerb(CLI::App& app);
Verb AddTrafficVerb(CLI::App& app);
Verb AddStartVerb(CLI::App& app);
Verb AddStopVerb(CLI::App& app);
Verb AddStatusVerb(CLI::App& app);
Verb AddSnapshotVerb(CLI::App& app);
Verb AddListVerb(CLI::App& app);
Verb AddCollectVerb(CLI::App& app);
Verb AddRmVerb(CLI::App& app);
Verb AddCaVerb(CLI::App& app);

// All of them, in the order --help shows them.
std::vector<Verb> AddVerbs(CLI::App& app);

}  // namespace gordian
