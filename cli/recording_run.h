// Recording this node from the command line until Ctrl-C, a limit, or the end of a command: all of
// `gordian record`, and the first half of `gordian profile`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "schema/control.pb.h"

namespace gordian {

struct RecordArguments {
  pb::StartRequest request;
  std::string directory;  // empty: named after the time
  std::vector<std::string> command;
};

// `arguments` must outlive the parse.
void AddRecordOptions(CLI::App& command, RecordArguments& arguments);

// Tells the result on stderr and returns the exit code. Sets arguments.directory if it was empty.
int RunRecording(const CLI::App& command, RecordArguments& arguments);

}  // namespace gordian
