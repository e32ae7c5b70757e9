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

struct ListArguments {
  bool json = false;
  std::string socket;
  NodeArguments nodes;
};

int List(const CLI::App& command, const ListArguments& arguments) {
  if (arguments.nodes.given()) {
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    return cluster.ok() ? ListOfNodes(*cluster, arguments.json) : Fail(cluster.status());
  }
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  const absl::StatusOr<pb::ListResponse> response = daemon->List(pb::ListRequest());
  if (!response.ok()) return FailRequest(command, response.status());
  if (arguments.json) {
    std::cout << ListJson(*response);
  } else if (response->sessions().empty()) {
    std::cout << "no finished sessions\n";
  } else {
    std::cout << FinishedTable(response->sessions());
  }
  return kExitSuccess;
}

}  // namespace

Verb AddListVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* command =
      AddCommand(app, "list", "Show the finished sessions of the local gordiand or of many nodes",
                 "gordian list\n"
                 "gordian list --json\n"
                 "gordian list --nodes all");
  command->add_flag("--json", arguments->json, "As JSON");
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  return {command, [command, arguments] { return List(*command, *arguments); }};
}

}  // namespace gordian
