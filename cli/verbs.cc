#include "cli/verbs.h"

#include "cli/record_verb.h"

namespace gordian {

std::vector<Verb> AddVerbs(CLI::App& app) { return {AddRecordVerb(app)}; }

}  // namespace gordian
