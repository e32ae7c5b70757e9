#include <iostream>
#include <memory>
#include <string>

#include "cli/cluster/cluster_control.h"
#include "cli/daemon_client.h"
#include "cli/recording_arguments.h"
#include "cli/session_verb.h"
#include "cli/verbs.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct StartArguments {
  pb::StartRequest request;
  std::string socket;
  NodeArguments nodes;
  bool require_all = false;
};

int Start(const CLI::App& command, const StartArguments& arguments) {
  if (arguments.request.only() && !HasTarget(arguments.request)) {
    return FailUsage(command, "--only needs a target: --pid, --comm or --cgroup");
  }
  if (arguments.nodes.given()) {
    if (arguments.request.budget_ppm() > 0)
      return FailUsage(command, "--budget is for one node: recordings that pause cannot be joined");
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    if (!cluster.ok()) return Fail(cluster.status());
    return StartOnNodes(*cluster, arguments.request, arguments.require_all);
  }
  if (arguments.require_all) return FailUsage(command, "--require-all goes with --nodes");
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  const absl::StatusOr<pb::StartResponse> response = daemon->Start(arguments.request);
  if (!response.ok()) return FailRequest(command, response.status());
  const pb::SessionStatus& session = response->session();
  std::cout << "recording " << session.name() << " into " << session.directory() << " by "
            << session.backend() << "; it ends by itself after "
            << FormatDuration(session.duration_ns());
  if (session.ring_bytes() != 0) {
    std::cout << " and keeps the newest " << FormatSize(session.ring_bytes()) << "\n";
  } else {
    std::cout << " or at " << FormatSize(session.max_bytes()) << "\n";
  }
  return kExitSuccess;
}

}  // namespace

Verb AddStartVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StartArguments>();
  CLI::App* command =
      AddCommand(app, "start", "Start a session, in the local gordiand or on many nodes",
                 "gordian start web --duration 30s\n"
                 "gordian start flight --ring 2G\n"
                 "gordian start db --comm postgres --max-size 500M\n"
                 "gordian start web --duration 30s --nodes all --require-all");
  AddSessionName(*command, "NAME", *arguments->request.mutable_name(), "What to call the session")
      ->required();
  AddRecordingOptions(*command, arguments->request);
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  command->add_flag("--require-all", arguments->require_all,
                    "With --nodes: on all of them or on none");
  return {command, [command, arguments] { return Start(*command, *arguments); }};
}

}  // namespace gordian
