#include <iostream>
#include <memory>
#include <string>

#include "cli/cluster/cluster_control.h"
#include "cli/daemon_client.h"
#include "cli/session_verb.h"
#include "cli/verbs.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct RemoveArguments {
  std::string name;
  std::string socket;
  NodeArguments nodes;
};

int Remove(const CLI::App& command, const RemoveArguments& arguments) {
  if (arguments.nodes.given()) {
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    return cluster.ok() ? RemoveOnNodes(*cluster, arguments.name) : Fail(cluster.status());
  }
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  pb::RemoveRequest request;
  request.set_name(arguments.name);
  const absl::StatusOr<pb::RemoveResponse> response = daemon->Remove(request);
  if (!response.ok()) return FailRequest(command, response.status());
  std::cout << "removed " << arguments.name << ", " << FormatSize(response->bytes_freed()) << "\n";
  return kExitSuccess;
}

}  // namespace

Verb AddRmVerb(CLI::App& app) {
  const auto arguments = std::make_shared<RemoveArguments>();
  CLI::App* command = AddCommand(app, "rm", "Remove a finished session of a gordiand",
                                 "gordian rm web\n"
                                 "gordian rm web --nodes all");
  AddSessionName(*command, "NAME", arguments->name, "The session")->required();
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  return {command, [command, arguments] { return Remove(*command, *arguments); }};
}

}  // namespace gordian
