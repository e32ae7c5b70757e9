#include "cli/verbs.h"

namespace gordian {

std::vector<Verb> AddVerbs([[maybe_unused]] CLI::App& app) { return {}; }

}  // namespace gordian
