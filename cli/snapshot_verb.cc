// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "cli/ask_daemons.h"
#include "cli/verbs.h"
#include "recorder/sessions/session_name.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct SnapshotArguments {
  std::string name;
  std::string snapshot_name;
  DaemonChoice daemons;
};

int Snapshot(const CLI::App& command, const SnapshotArguments& arguments) {
  pb::SnapshotRequest request;
  request.set_name(arguments.name);
  request.set_snapshot_name(arguments.snapshot_name);
  // One name on all nodes, so that it can be collected.
  if (arguments.daemons.is_of_nodes() && arguments.snapshot_name.empty()) {
    request.set_snapshot_name(SnapshotName(arguments.name, absl::GetCurrentTimeNanos()));
  }
  const auto show = [&](const Cluster& cluster, const Answers<pb::SnapshotResponse>& answers) {
    uint64_t bytes = 0;
    for (const auto& answer : answers) bytes += answer.ok() ? answer->bytes_on_disk() : 0;
    if (cluster.is_this_machine()) {
      std::cout << "snapshot of " << arguments.name << " in " << answers[0]->directory();
    } else {
      std::cout << "snapshot " << request.snapshot_name() << OfNodes(" on ", cluster, answers);
    }
    std::cout << ", " << FormatSize(bytes) << "\n";
  };
  return AskDaemons(command, arguments.daemons, rpc::kSnapshot, request, show);
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
  AddDaemonOptions(*command, arguments->daemons);
  return {command, [command, arguments] { return Snapshot(*command, *arguments); }};
}

}  // namespace gordian
