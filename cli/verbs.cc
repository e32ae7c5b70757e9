#include "cli/verbs.h"

#include "cli/record_verb.h"

namespace gordian {

std::vector<Verb> AddVerbs(CLI::App& app) {
  return {
      AddRecordVerb(app),    //
      AddStartVerb(app),     //
      AddStopVerb(app),      //
      AddStatusVerb(app),    //
      AddSnapshotVerb(app),  //
      AddListVerb(app),      //
  };
}

}  // namespace gordian
