// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "cli/ask_daemons.h"
#include "cli/cluster_view.h"
#include "cli/session_text.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

constexpr auto kWatchInterval = std::chrono::seconds(1);
constexpr const char* kClearScreen = "\x1b[H\x1b[J";

struct StatusArguments {
  std::string name;
  bool json = false;
  DaemonChoice daemons;
  bool watch = false;
};

void ShowRunning(const pb::StatusResponse& response, bool json) {
  if (json) {
    std::cout << StatusJson(response);
  } else if (response.sessions().empty()) {
    std::cout << "no sessions are running\n";
  } else {
    std::cout << RunningTable(response.sessions());
  }
}

// With `watch` the table comes again every second, until an interrupt or until its reader goes
// away.
int Status(const CLI::App& command, const StatusArguments& arguments) {
  if (arguments.watch && !arguments.daemons.is_of_nodes()) {
    return FailUsage(command, "--watch goes with --nodes");
  }
  pb::StatusRequest request;
  request.set_name(arguments.name);
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.daemons);
  if (!cluster.ok()) return Fail(cluster.status());
  const bool clears_screen = arguments.watch && !arguments.json && isatty(STDOUT_FILENO) == 1;
  while (true) {
    const Answers<pb::StatusResponse> answers = cluster->AskAll(rpc::kStatus, request);
    if (cluster->is_this_machine()) {
      if (answers[0].ok()) ShowRunning(*answers[0], arguments.json);
      return TellFailures(command, *cluster, StatusesOf(answers));
    }
    const std::vector<NodeSessions> nodes = SessionsOf(*cluster, answers);
    if (clears_screen) std::cout << kClearScreen;
    std::cout << (arguments.json ? NodesJson(nodes) : NodesStatusTable(nodes)) << std::flush;
    if (!arguments.watch || !std::cout) return ExitCodeOf(nodes);
    std::this_thread::sleep_for(kWatchInterval);
  }
}

}  // namespace

Verb AddStatusVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StatusArguments>();
  CLI::App* command = AddCommand(
      app, "status", "Show the sessions that run, in the local gordiand or on many nodes",
      "gordian status\n"
      "gordian status web --json\n"
      "gordian status --nodes all --watch");
  AddSessionName(*command, "NAME", arguments->name, "Only this one, finished or not");
  command->add_flag("--json", arguments->json, "As JSON");
  AddDaemonOptions(*command, arguments->daemons);
  command->add_flag("--watch", arguments->watch, "With --nodes: again every second");
  return {command, [command, arguments] { return Status(*command, *arguments); }};
}

}  // namespace gordian
