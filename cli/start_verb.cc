// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_join.h"
#include "cli/ask_daemons.h"
#include "cli/recording_arguments.h"
#include "cli/verbs.h"
#include "cluster/joint_start.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct StartArguments {
  pb::StartRequest request;
  DaemonChoice daemons;
  bool require_all = false;
};

void ShowStarted(const Cluster&, const Answers<pb::StartResponse>& answers) {
  for (const std::string& cut : answers[0]->cut())
    std::cerr << "gordian: " << CleanText(cut) << "\n";
  const pb::SessionStatus& session = answers[0]->session();
  std::cout << "recording " << session.name() << " into " << session.directory() << " by "
            << session.backend() << "; it ends by itself after "
            << FormatDuration(session.duration_ns());
  if (session.ring_bytes() != 0) {
    std::cout << " and keeps the newest " << FormatSize(session.ring_bytes()) << "\n";
  } else {
    std::cout << " or at " << FormatSize(session.max_bytes()) << "\n";
  }
}

void ShowBegun(const std::string& name, const JointStart& start, size_t nodes) {
  std::cout << "recording " << name << " on " << start.begun << " of " << nodes
            << " nodes, begun together to within " << FormatDuration(start.bound_ns);
  if (start.late_ns > 0) {
    std::cout << ", the last of them " << FormatDuration(start.late_ns) << " late";
  }
  std::cout << "; it ends by itself after " << FormatDuration(start.duration_ns) << "\n";
}

int StartOnNodes(const StartArguments& arguments) {
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.daemons);
  if (!cluster.ok()) return Fail(cluster.status());
  const JointStart start = StartTogether(*cluster, arguments.request, arguments.require_all);
  for (const NodeFailure& failure : start.failures) {
    TellFailure(*cluster, failure.node, failure.status);
  }
  for (const auto& [cut, nodes] : start.cuts) {
    std::cerr << "gordian: " << absl::StrJoin(nodes, ", ") << ": " << CleanText(cut) << "\n";
  }
  const std::string& name = arguments.request.name();
  if (start.was_given_up) {
    std::cerr << "gordian: " << name << " was not started anywhere, as --require-all asks\n";
  }
  if (start.begun == 0) return kExitFailure;
  ShowBegun(name, start, cluster->size());
  return start.failures.empty() ? kExitSuccess : kExitFailure;
}

int Start(const CLI::App& command, const StartArguments& arguments) {
  const pb::StartRequest& request = arguments.request;
  if (request.only() && !HasTarget(request)) {
    return FailUsage(command, "--only needs a target: --pid, --comm, --unit or --container");
  }
  if (!arguments.daemons.is_of_nodes()) {
    if (arguments.require_all) return FailUsage(command, "--require-all goes with --nodes");
    return AskDaemons(command, arguments.daemons, rpc::kStart, request, ShowStarted);
  }
  return StartOnNodes(arguments);
}

}  // namespace

Verb AddStartVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StartArguments>();
  CLI::App* command =
      AddCommand(app, "start", "Start a session, in the local gordiand or on many nodes",
                 "gordian start web --duration 30s\n"
                 "gordian start flight --ring 2G\n"
                 "gordian start db --comm postgres --max-size 500M\n"
                 "gordian start web --duration 30s --nodes all --require-all\n"
                 "gordian start web --nodes all --budget 1%");
  AddSessionName(*command, "NAME", *arguments->request.mutable_name(), "What to call the session")
      ->required();
  AddRecordingOptions(*command, arguments->request);
  AddDaemonOptions(*command, arguments->daemons);
  command->add_flag_function(
      "--require", [arguments](int64_t count) { arguments->request.set_require(count > 0); },
      "Fail if a node's owner allows less than asked for, instead of cutting it");
  command->add_flag("--require-all", arguments->require_all,
                    "With --nodes: on all of them or on none");
  return {command, [command, arguments] { return Start(*command, *arguments); }};
}

}  // namespace gordian
