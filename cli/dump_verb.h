#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian dump: what a session holds, event by event or in numbers.
Verb AddDumpVerb(CLI::App& app);

}  // namespace gordian
