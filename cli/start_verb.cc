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
  std::string name;
  RecordingArguments recording;
  std::string socket;
  NodeArguments nodes;
  bool require_all = false;
};

pb::StartRequest RequestFor(const StartArguments& arguments) {
  const RecordingArguments& recording = arguments.recording;
  pb::StartRequest request;
  request.set_name(arguments.name);
  request.set_attach(recording.attach);
  request.mutable_pids()->Assign(recording.pids.begin(), recording.pids.end());
  request.mutable_comms()->Assign(recording.comms.begin(), recording.comms.end());
  request.mutable_cgroups()->Assign(recording.cgroups.begin(), recording.cgroups.end());
  request.set_only(recording.only);
  request.set_ring_bytes(recording.ring_bytes);
  request.set_max_bytes(recording.max_bytes);
  request.set_duration_ns(recording.duration_ns);
  request.set_resource_interval_ns(recording.resource_interval_ns);
  request.set_kernel_ring_bytes_per_cpu(recording.kernel_ring_bytes);
  request.set_irq_threshold_ns(recording.irq_threshold_ns);
  request.set_stacks(recording.stacks);
  request.set_sample_hz(recording.sample_hz);
  request.set_budget_ppm(BudgetPpm(recording).value_or(0));
  request.mutable_counted_calls()->Assign(recording.counted_calls.begin(),
                                          recording.counted_calls.end());
  return request;
}

int Start(const CLI::App& command, const StartArguments& arguments) {
  if (arguments.recording.only && !HasTarget(arguments.recording)) {
    return FailUsage(command, "--only needs a target: --pid, --comm or --cgroup");
  }
  if (arguments.nodes.given()) {
    if (BudgetPpm(arguments.recording).value_or(0) > 0)
      return FailUsage(command, "--budget is for one node: recordings that pause cannot be joined");
    absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
    if (!cluster.ok()) return Fail(cluster.status());
    return StartOnNodes(*cluster, RequestFor(arguments), arguments.require_all);
  }
  if (arguments.require_all) return FailUsage(command, "--require-all goes with --nodes");
  absl::StatusOr<DaemonClient> daemon = DaemonClient::Connect(arguments.socket);
  if (!daemon.ok()) return Fail(daemon.status());
  const absl::StatusOr<pb::StartResponse> response = daemon->Start(RequestFor(arguments));
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
  AddSessionName(*command, "NAME", arguments->name, "What to call the session")->required();
  AddRecordingOptions(*command, arguments->recording);
  AddSocketOption(*command, arguments->socket);
  AddNodeOptions(*command, arguments->nodes);
  command->add_flag("--require-all", arguments->require_all,
                    "With --nodes: on all of them or on none");
  return {command, [command, arguments] { return Start(*command, *arguments); }};
}

}  // namespace gordian
