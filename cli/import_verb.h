#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian import: a session out of a foreign trace.
Verb AddImportVerb(CLI::App& app);

}  // namespace gordian
