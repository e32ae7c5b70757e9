// SPDX-License-Identifier: Apache-2.0
// The common part of verbs that ask gordiand, this machine's or those of many nodes: how a command
// line names the daemons, how all of them are asked, and how their failures are told.
//
// docs/add-a-verb.md shows how to add a verb.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/verb.h"
#include "cluster/cluster.h"

namespace gordian {

// Adds NAME, checked; the daemon checks it again.
CLI::Option* AddSessionName(CLI::App& command, const std::string& option, std::string& name,
                            const std::string& description);
// Adds --socket, --nodes and --nodes-file; AddNodeOptions only the last two.
void AddDaemonOptions(CLI::App& command, DaemonChoice& choice);
void AddNodeOptions(CLI::App& command, DaemonChoice& choice);

// One line on stderr.
void TellFailure(const Cluster& cluster, size_t node, const absl::Status& status);
// One line for each that failed; the exit code. If this machine's daemon refuses a request as
// senseless, it is a usage error.
int TellFailures(const CLI::App& command, const Cluster& cluster,
                 const std::vector<absl::Status>& statuses);

template <typename Response>
std::vector<absl::Status> StatusesOf(const Answers<Response>& answers) {
  std::vector<absl::Status> statuses;
  for (const auto& answer : answers) statuses.push_back(answer.status());
  return statuses;
}

// How many nodes answered: " on 2 of 3 nodes" for `preposition` " on "; empty for this machine.
template <typename Response>
std::string OfNodes(const std::string& preposition, const Cluster& cluster,
                    const Answers<Response>& answers) {
  if (cluster.is_this_machine()) return "";
  size_t given = 0;
  for (const auto& answer : answers) given += answer.ok() ? 1 : 0;
  return absl::StrCat(preposition, given, " of ", answers.size(), " nodes");
}

// Asks every daemon of `choice` at once. If any answered, `show` prints the answers; it may turn
// some into failures. Failures are told after that. Returns the exit code.
template <typename Request, typename Response, typename Show>
int AskDaemons(const CLI::App& command, const DaemonChoice& choice,
               const Rpc<Request, Response>& rpc, const Request& request, const Show& show) {
  absl::StatusOr<Cluster> cluster = Cluster::Open(choice);
  if (!cluster.ok()) return Fail(cluster.status());
  Answers<Response> answers = cluster->AskAll(rpc, request);
  const auto is_ok = [](const auto& answer) { return answer.ok(); };
  if (std::any_of(answers.begin(), answers.end(), is_ok)) show(*cluster, answers);
  return TellFailures(command, *cluster, StatusesOf(answers));
}

}  // namespace gordian
