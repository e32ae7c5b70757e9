#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/cluster/cluster_control.h"
#include "cli/daemon_client.h"
#include "cli/session_text.h"
#include "cli/session_verb.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

struct StopArguments {
  std::string name;
  std::string socket;
  NodeArguments nodes;
};

int Stop(const CLI::App& command, const StopArguments& arguments) {
  if (arguments.nodes.given()) {
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    return cluster.ok() ? StopOnNodes(*cluster, arguments.name) : Fail(cluster.status());
  }
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  pb::StopRequest request;
  request.set_name(arguments.name);
  const absl::StatusOr<pb::StopResponse> response = daemon->Stop(request);
  if (!response.ok()) return FailRequest(command, response.status());
  const pb::SessionStatus& session = response->session();
  std::cout << SessionLine(session);
  if (session.end_reason() != "asked") std::cout << "; had ended: " << session.end_reason();
  std::cout << "; in " << session.directory() << "\n";
  if (session.error().empty()) return kExitSuccess;
  return Fail(absl::DataLossError(
      absl::StrCat(session.name(), " did not end as it should: ", session.error())));
}

}  // namespace

Verb AddStopVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StopArguments>();
  CLI::App* command =
      AddCommand(app, "stop", "End a session of the local gordiand, or on many nodes",
                 "gordian stop web\n"
                 "gordian stop web --nodes all");
  AddSessionName(*command, "NAME", arguments->name, "The session")->required();
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  return {command, [command, arguments] { return Stop(*command, *arguments); }};
}

}  // namespace gordian
