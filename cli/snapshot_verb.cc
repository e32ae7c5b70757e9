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

struct SnapshotArguments {
  std::string name;
  std::string snapshot_name;
  std::string socket;
  NodeArguments nodes;
};

int Snapshot(const CLI::App& command, const SnapshotArguments& arguments) {
  pb::SnapshotRequest request;
  request.set_name(arguments.name);
  request.set_snapshot_name(arguments.snapshot_name);
  if (arguments.nodes.given()) {
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    return cluster.ok() ? SnapshotOnNodes(*cluster, request) : Fail(cluster.status());
  }
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  const absl::StatusOr<pb::SnapshotResponse> response = daemon->Snapshot(request);
  if (!response.ok()) return FailRequest(command, response.status());
  std::cout << "snapshot of " << arguments.name << " in " << response->directory() << ", "
            << FormatSize(response->bytes_on_disk()) << "\n";
  return kExitSuccess;
}

}  // namespace

Verb AddSnapshotVerb(CLI::App& app) {
  const auto arguments = std::make_shared<SnapshotArguments>();
  CLI::App* command =
      AddCommand(app, "snapshot", "Cut out what a session holds now, while it goes on",
                 "gordian snapshot flight\n"
                 "gordian snapshot flight before-the-restart\n"
                 "gordian snapshot flight --nodes all");
  AddSessionName(*command, "NAME", arguments->name, "The session")->required();
  AddSessionName(*command, "SNAPNAME", arguments->snapshot_name,
                 "What to call the snapshot (default: NAME and the time)");
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  return {command, [command, arguments] { return Snapshot(*command, *arguments); }};
}

}  // namespace gordian
