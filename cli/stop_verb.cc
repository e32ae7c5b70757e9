// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/ask_daemons.h"
#include "cli/session_text.h"
#include "cli/verbs.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

struct StopArguments {
  std::string name;
  DaemonChoice daemons;
};

void ShowEnded(const Cluster& cluster, Answers<pb::StopResponse>& answers) {
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].ok()) continue;
    const pb::SessionStatus session = answers[i]->session();
    if (!cluster.is_this_machine()) std::cout << cluster.node(i).name << ": ";
    std::cout << CleanText(SessionLine(session));
    if (session.end_reason() != "asked") {
      std::cout << "; had ended: " << CleanText(session.end_reason());
    }
    if (cluster.is_this_machine()) std::cout << "; in " << session.directory();
    std::cout << "\n";
    if (session.error().empty()) continue;
    answers[i] = absl::DataLossError(
        absl::StrCat(session.name(), " did not end as it should: ", session.error()));
  }
}

int Stop(const CLI::App& command, const StopArguments& arguments) {
  pb::StopRequest request;
  request.set_name(arguments.name);
  return AskDaemons(command, arguments.daemons, rpc::kStop, request, ShowEnded);
}

}  // namespace

Verb AddStopVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StopArguments>();
  CLI::App* command =
      AddCommand(app, "stop", "End a session of the local gordiand, or on many nodes",
                 "gordian stop web\n"
                 "gordian stop web --nodes all");
  AddSessionName(*command, "NAME", arguments->name, "The session")->required();
  AddDaemonOptions(*command, arguments->daemons);
  return {command, [command, arguments] { return Stop(*command, *arguments); }};
}

}  // namespace gordian
