// SPDX-License-Identifier: Apache-2.0
// The base of every verb of gordian.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gordian {

// All exit codes: gordian(1), EXIT STATUS, has the table for users.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
// Of a COMMAND that cannot be run, as shells tell them. One that ran gives its own.
inline constexpr int kExitCannotRun = 126;
inline constexpr int kExitNoProgram = 127;
inline constexpr int kExitInterrupted = 130;  // 128 and SIGINT; of SIGTERM, too

struct Verb {
  CLI::App* command;         // parsed() is true for the verb asked for
  std::function<int()> run;  // after a successful parse; returns the exit code
};

// Adds the subcommand `name`. `examples` are whole command lines, one a line, shown under --help.
CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& description,
                     std::string_view examples);

// -q, --quiet: `what` tells what is left out.
void AddQuietOption(CLI::App& command, bool& quiet, const char* what);

// Tells the failure on stderr, in one line, and returns kExitFailure.
int Fail(const absl::Status& status);
// The same for a command line that makes no sense although every option by itself did: returns
// kExitUsage.
int FailUsage(const CLI::App& command, std::string_view message);

// A message as clean text in one line: those of libraries may have several.
std::string InOneLine(std::string_view message);
std::string MessageOf(const absl::Status& status);

}  // namespace gordian
