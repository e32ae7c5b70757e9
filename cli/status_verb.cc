#include <iostream>
#include <memory>
#include <string>

#include "cli/cluster/cluster_view.h"
#include "cli/daemon_client.h"
#include "cli/session_text.h"
#include "cli/session_verb.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

struct StatusArguments {
  std::string name;
  bool json = false;
  std::string socket;
  NodeArguments nodes;
  bool watch = false;
};

int Status(const CLI::App& command, const StatusArguments& arguments) {
  if (arguments.nodes.given()) {
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    if (!cluster.ok()) return Fail(cluster.status());
    return StatusOfNodes(*cluster, arguments.name, arguments.json, arguments.watch);
  }
  if (arguments.watch) return FailUsage(command, "--watch goes with --nodes");
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  pb::StatusRequest request;
  request.set_name(arguments.name);
  const absl::StatusOr<pb::StatusResponse> response = daemon->Status(request);
  if (!response.ok()) return FailRequest(command, response.status());
  if (arguments.json) {
    std::cout << StatusJson(*response);
  } else if (response->sessions().empty()) {
    std::cout << "no sessions are running\n";
  } else {
    std::cout << RunningTable(response->sessions());
  }
  return kExitSuccess;
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
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  command->add_flag("--watch", arguments->watch, "With --nodes: again every second");
  return {command, [command, arguments] { return Status(*command, *arguments); }};
}

}  // namespace gordian
