// SPDX-License-Identifier: Apache-2.0
// Every verb of gordian. Each has a file of its own, cli/NAME_verb.cc, with one function that adds
// it; a new one is declared and listed here.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/verb.h"

namespace gordian {

Verb AddProfileVerb(CLI::App& app);
Verb AddRecordVerb(CLI::App& app);
Verb AddAnalyzeVerb(CLI::App& app);
Verb AddServeVerb(CLI::App& app);
Verb AddGraphVerb(CLI::App& app);
Verb AddTimelineVerb(CLI::App& app);
Verb AddDiffVerb(CLI::App& app);
Verb AddWhatIfVerb(CLI::App& app);
Verb AddPhasesVerb(CLI::App& app);
Verb AddModelVerb(CLI::App& app);
Verb AddTopVerb(CLI::App& app);
Verb AddCutVerb(CLI::App& app);
Verb AddTrafficVerb(CLI::App& app);
Verb AddSliceVerb(CLI::App& app);
Verb AddRequestsVerb(CLI::App& app);
Verb AddExplainLogVerb(CLI::App& app);
Verb AddParticipationVerb(CLI::App& app);
Verb AddQueryVerb(CLI::App& app);
Verb AddExportVerb(CLI::App& app);
Verb AddStartVerb(CLI::App& app);
Verb AddStopVerb(CLI::App& app);
Verb AddStatusVerb(CLI::App& app);
Verb AddSnapshotVerb(CLI::App& app);
Verb AddFollowVerb(CLI::App& app);
Verb AddListVerb(CLI::App& app);
Verb AddCollectVerb(CLI::App& app);
Verb AddRmVerb(CLI::App& app);
Verb AddCaVerb(CLI::App& app);
Verb AddDumpVerb(CLI::App& app);
Verb AddImportVerb(CLI::App& app);
Verb AddSymbolizeVerb(CLI::App& app);
Verb AddStoreVerb(CLI::App& app);

// In the order --help shows them.
inline constexpr Verb (*kVerbs[])(CLI::App& app) = {
    AddProfileVerb,        //
    AddRecordVerb,         //
    AddAnalyzeVerb,        //
    AddServeVerb,          //
    AddGraphVerb,          //
    AddTimelineVerb,       //
    AddDiffVerb,           //
    AddWhatIfVerb,         //
    AddPhasesVerb,         //
    AddModelVerb,          //
    AddTopVerb,            //
    AddCutVerb,            //
    AddParticipationVerb,  //
    AddQueryVerb,          //
    AddExportVerb,         //
    AddTrafficVerb,        //
    AddSliceVerb,          //
    AddRequestsVerb,       //
    AddExplainLogVerb,     //
    AddStartVerb,          //
    AddStopVerb,           //
    AddStatusVerb,         //
    AddSnapshotVerb,       //
    AddFollowVerb,         //
    AddListVerb,           //
    AddCollectVerb,        //
    AddRmVerb,             //
    AddCaVerb,             //
    AddDumpVerb,           //
    AddImportVerb,         //
    AddSymbolizeVerb,      //
    AddStoreVerb,          //
};

}  // namespace gordian
