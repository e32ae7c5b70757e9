// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "cli/ask_daemons.h"
#include "cli/verbs.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct RemoveArguments {
  std::string name;
  DaemonChoice daemons;
};

int Remove(const CLI::App& command, const RemoveArguments& arguments) {
  pb::RemoveRequest request;
  request.set_name(arguments.name);
  const auto show = [&](const Cluster& cluster, const Answers<pb::RemoveResponse>& answers) {
    uint64_t bytes = 0;
    for (const auto& answer : answers) bytes += answer.ok() ? answer->bytes_freed() : 0;
    std::cout << "removed " << arguments.name << OfNodes(" from ", cluster, answers) << ", "
              << FormatSize(bytes) << "\n";
  };
  return AskDaemons(command, arguments.daemons, rpc::kRemove, request, show);
}

}  // namespace

Verb AddRmVerb(CLI::App& app) {
  const auto arguments = std::make_shared<RemoveArguments>();
  CLI::App* command = AddCommand(app, "rm", "Remove a finished session of a gordiand",
                                 "gordian rm web\n"
                                 "gordian rm web --nodes all");
  AddSessionName(*command, "NAME", arguments->name, "The session")->required();
  AddDaemonOptions(*command, arguments->daemons);
  return {command, [command, arguments] { return Remove(*command, *arguments); }};
}

}  // namespace gordian
