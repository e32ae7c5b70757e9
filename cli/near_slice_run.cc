// SPDX-License-Identifier: Apache-2.0
#include "cli/near_slice_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/quantities.h"

namespace gordian {

NearNodes AskedNodes(Cluster& cluster, const std::string& session) {
  NearNodes nodes;
  for (size_t i = 0; i < cluster.size(); ++i) {
    nodes.names.push_back(cluster.is_this_machine() ? "this machine" : cluster.node(i).name);
    nodes.hosts.push_back(cluster.node(i).address.host);
  }
  nodes.ask = [&cluster, session](
                  size_t node, const pb::NearQuestion& question) -> absl::StatusOr<pb::NearAnswer> {
    pb::AskRequest request;
    request.set_name(session);
    request.set_question(question.SerializeAsString());
    const auto response = cluster.client(node).Ask(rpc::kAsk, request);
    if (!response.ok()) return response.status();
    pb::NearAnswer answer;
    if (!answer.ParseFromString(response->answer()))
      return absl::DataLossError("its answer cannot be read");
    return answer;
  };
  return nodes;
}

absl::StatusOr<NearSlice> SliceOfSession(const DaemonChoice& daemons, const std::string& session,
                                         const NearSliceQuestion& question) {
  auto cluster = Cluster::Open(daemons);
  if (!cluster.ok()) return cluster.status();
  return SliceAcross(AskedNodes(*cluster, session), question);
}

std::string NearSliceText(const std::string& session, const NearSlice& slice,
                          const SliceTextOptions& options) {
  std::string text = SliceText(slice.told, options);
  for (const std::string& note : slice.notes) absl::StrAppend(&text, "not followed: ", note, "\n");
  const NearCosts& costs = slice.costs;
  absl::StrAppend(&text, "asked ", absl::StrJoin(costs.asked_nodes, ", "), ": ",
                  FormatCount(costs.questions, "question"), ", ",
                  FormatSize(costs.asked_bytes + costs.answered_bytes), " moved; collecting moves ",
                  FormatSize(costs.collecting_bytes), "\n");
  absl::StrAppend(&text,
                  "The whole cluster at once (the tree of causes, findings across nodes, clocks "
                  "tightened by messages):\n  gordian collect ",
                  session, " --nodes … -o ", session, " && gordian analyze ", session,
                  ", or gordian-mpi where the recordings lie\n");
  return text;
}

}  // namespace gordian
