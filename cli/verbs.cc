#include "cli/verbs.h"

#include "cli/dump_verb.h"
#include "cli/import_verb.h"
#include "cli/model_verb.h"
#include "cli/phases_verb.h"
#include "cli/record_verb.h"
#include "cli/symbolize_verb.h"

namespace gordian {

std::vector<Verb> AddVerbs(CLI::App& app) {
  return {
      AddProfileVerb(app),    //
      AddRecordVerb(app),     //
      AddAnalyzeVerb(app),    //
      AddGraphVerb(app),      //
      AddTimelineVerb(app),   //
      AddDiffVerb(app),       //
      AddWhatIfVerb(app),     //
      AddPhasesVerb(app),     //
      AddModelVerb(app),      //
      AddTrafficVerb(app),    //
      AddStartVerb(app),      //
      AddStopVerb(app),       //
      AddStatusVerb(app),     //
      AddSnapshotVerb(app),   //
      AddListVerb(app),       //
      AddCollectVerb(app),    //
      AddRmVerb(app),         //
      AddCaVerb(app),         //
      AddDumpVerb(app),       //
      AddImportVerb(app),     //
      AddSymbolizeVerb(app),  //
  };
}

}  // namespace gordian
