#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian symbolize: the names of the code in a session's stacks, once more.
Verb AddSymbolizeVerb(CLI::App& app);

}  // namespace gordian
