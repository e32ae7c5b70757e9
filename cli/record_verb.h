#pragma once

#include "cli/verb.h"

namespace gordian {

// gordian record: records this node until Ctrl-C, a limit, or the end of a command.
Verb AddRecordVerb(CLI::App& app);

}  // namespace gordian
