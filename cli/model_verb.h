#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian model: checks and shows the models that tell what logs mean.
Verb AddModelVerb(CLI::App& app);

}  // namespace gordian
