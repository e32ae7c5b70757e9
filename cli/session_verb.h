// What the verbs that talk to the daemon about one session share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/status.h"

namespace gordian {

// Adds NAME, checked; the daemon checks it again.
CLI::Option* AddSessionName(CLI::App& command, const std::string& option, std::string& name,
                            const std::string& description);

// The daemon's refusal of what `command` asked: a request that makes no sense is a usage error.
int FailRequest(const CLI::App& command, const absl::Status& status);

}  // namespace gordian
