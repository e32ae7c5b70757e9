// SPDX-License-Identifier: Apache-2.0
#include "cli/only_session.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Sessions that ended by themselves stay in the daemon's list until somebody stops them.
bool Runs(const pb::SessionStatus& session) {
  return session.state() == "recording" || session.state() == "starting" ||
         session.state() == "armed";
}

}  // namespace

absl::StatusOr<std::string> OnlyRunningSession(const std::vector<NodeSessions>& nodes) {
  std::set<std::string> names;
  const bool is_any_there =
      std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.status.ok(); });
  if (!is_any_there && !nodes.empty()) return nodes.front().status;
  for (const NodeSessions& node : nodes)
    for (const pb::SessionStatus& session : node.sessions)
      if (Runs(session)) names.insert(CleanText(session.name()));
  if (names.empty())
    return absl::NotFoundError("no session runs; begin one (gordian start NAME), or name a folder");
  if (names.size() > 1)
    return absl::InvalidArgumentError(
        absl::StrCat("several sessions run: ", absl::StrJoin(names, ", "), "; name one of them"));
  return *names.begin();
}

absl::StatusOr<std::string> FindOnlySession(const DaemonChoice& daemons) {
  auto cluster = Cluster::Open(daemons);
  if (!cluster.ok()) return cluster.status();
  return OnlyRunningSession(
      SessionsOf(*cluster, cluster->AskAll(rpc::kStatus, pb::StatusRequest())));
}

}  // namespace gordian
