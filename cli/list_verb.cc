// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "cli/ask_daemons.h"
#include "cli/cluster_view.h"
#include "cli/session_text.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

struct ListArguments {
  bool json = false;
  DaemonChoice daemons;
};

void ShowFinished(const pb::ListResponse& response, bool json) {
  if (json) {
    std::cout << ListJson(response);
  } else if (response.sessions().empty()) {
    std::cout << "no finished sessions\n";
  } else {
    std::cout << FinishedTable(response.sessions());
  }
}

int List(const CLI::App& command, const ListArguments& arguments) {
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.daemons);
  if (!cluster.ok()) return Fail(cluster.status());
  const Answers<pb::ListResponse> answers = cluster->AskAll(rpc::kList, pb::ListRequest());
  if (cluster->is_this_machine()) {
    if (answers[0].ok()) ShowFinished(*answers[0], arguments.json);
    return TellFailures(command, *cluster, StatusesOf(answers));
  }
  const std::vector<NodeSessions> nodes = SessionsOf(*cluster, answers);
  std::cout << (arguments.json ? NodesJson(nodes) : NodesListTable(nodes));
  return ExitCodeOf(nodes);
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
  AddDaemonOptions(*command, arguments->daemons);
  return {command, [command, arguments] { return List(*command, *arguments); }};
}

}  // namespace gordian
