// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "cli/near_slice_run.h"
#include "near/far_nodes.h"
#include "whatif/fix_questions.h"

namespace gordian {
namespace {

bool IsRecorded(const pb::SessionStatus& session) {
  return session.state() == "recording" || session.state() == "starting" ||
         session.state() == "armed";
}

}  // namespace

absl::StatusOr<std::unique_ptr<AskedSession>> AskedSession::Open(const DaemonChoice& daemons,
                                                                 const std::string& session) {
  auto cluster = Cluster::Open(daemons);
  if (!cluster.ok()) return cluster.status();
  std::unique_ptr<AskedSession> asked(new AskedSession(*std::move(cluster), daemons, session));
  return asked;
}

AskedSession::AskedSession(Cluster cluster, const DaemonChoice& daemons, std::string session)
    : cluster_(std::move(cluster)),
      daemons_(daemons),
      session_(std::move(session)),
      nodes_(AskedNodes(cluster_, session_)) {}

absl::StatusOr<bool> AskedSession::HasEnded() {
  pb::StatusRequest request;
  request.set_name(session_);
  bool is_there = false;
  absl::Status failure;
  for (const auto& answer : cluster_.AskAll(rpc::kStatus, request)) {
    failure.Update(answer.status());
    if (!answer.ok()) continue;
    for (const pb::SessionStatus& session : answer->sessions()) {
      if (IsRecorded(session)) return false;
      is_there = true;
    }
  }
  if (is_there) return true;
  return failure.ok() ? absl::NotFoundError(absl::StrCat("no node has a session ", session_))
                      : failure;
}

absl::StatusOr<FarState> AskedSession::StateOf(size_t node) {
  pb::StatusRequest request;
  request.set_name(session_);
  const auto answer = cluster_.client(node).Ask(rpc::kStatus, request);
  if (!answer.ok()) return answer.status();
  if (answer->sessions().empty()) return absl::NotFoundError("it has no such session");
  const pb::SessionStatus& told = answer->sessions(0);
  return FarState{.state = told.state(),
                  .seconds = SecondsOf(told.elapsed_ns()),
                  .events = told.events(),
                  .lost = told.lost(),
                  .bytes = told.bytes_on_disk()};
}

// As a shell takes it.
std::string AskedSession::WholeClusterLine() const {
  const std::string session = ShellQuoted(session_);
  std::string nodes;
  if (!daemons_.nodes.empty()) absl::StrAppend(&nodes, " --nodes ", ShellQuoted(daemons_.nodes));
  if (!daemons_.nodes_file.empty())
    absl::StrAppend(&nodes, " --nodes-file ", ShellQuoted(daemons_.nodes_file));
  return absl::StrCat("gordian collect ", session, nodes, " -o ", session, " && gordian serve ",
                      session);
}

void AskedSession::AddTo(ServedRecordings& recordings) {
  for (FarSource& source :
       FarSourcesOf(nodes_, session_, [this](size_t node) { return StateOf(node); }))
    recordings.Add(std::make_unique<FarRecording>(std::move(source)));
  recordings.SetInstead(WholeClusterLine());
}

}  // namespace gordian
