// SPDX-License-Identifier: Apache-2.0
// gordian record: records this machine until Ctrl-C, a limit, or the end of a command.
#include <memory>

#include "cli/recording_run.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

constexpr char kRecordExamples[] =
    "gordian record -- ./server --port 8080\n"
    "gordian record -o before --duration 30s --pid 4711\n"
    "gordian record --comm postgres --duration 1m\n"
    "gordian record --unit nginx --duration 30s\n"
    "gordian record --pod shop/web-7d9f --duration 30s\n"
    "gordian record --ring 512M            (keeps the newest; Ctrl-C when it has happened)";

}  // namespace

Verb AddRecordVerb(CLI::App& app) {
  auto arguments = std::make_shared<RecordArguments>();
  CLI::App* command =
      AddCommand(app, "record", "Record this machine: who waits for whom", kRecordExamples);
  AddRecordOptions(*command, *arguments);
  return {command, [command, arguments] { return RunRecording(*command, *arguments).exit_code; }};
}

}  // namespace gordian
