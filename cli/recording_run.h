// SPDX-License-Identifier: Apache-2.0
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
  bool quiet = false;
};

// `arguments` must outlive the parse.
void AddRecordOptions(CLI::App& command, RecordArguments& arguments);

struct RecordingResult {
  bool recorded = false;  // there is a recording that is worth to be analyzed
  // Of gordian: that of the COMMAND if it ended by itself and nothing else failed.
  int exit_code = 0;
};

// Tells the result on stderr. Sets arguments.directory if it was empty.
RecordingResult RunRecording(const CLI::App& command, RecordArguments& arguments);

}  // namespace gordian
