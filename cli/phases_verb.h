#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian phases: which phases a job had, out of its logs or its probes.
Verb AddPhasesVerb(CLI::App& app);

}  // namespace gordian
