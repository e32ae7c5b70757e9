// SPDX-License-Identifier: Apache-2.0
#include "near/far_nodes.h"

#include <utility>

#include "near/asked_packed.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

absl::StatusOr<FarAnswer> AskView(const NearNodes& nodes, size_t node, std::string_view endpoint,
                                  const ViewParameters& parameters, bool read_again) {
  pb::NearQuestion question;
  pb::NearViewQuestion& view = *question.mutable_view();
  view.set_endpoint(std::string(endpoint));
  view.mutable_parameters()->insert(parameters.begin(), parameters.end());
  view.set_read_again(read_again);
  MovedBytes moved;
  auto answer = AskPacked(nodes, node, question, /*takes_packed=*/false, moved);
  if (!answer.ok()) return answer.status();
  if (answer->has_error())
    return absl::Status(static_cast<absl::StatusCode>(answer->error().code()),
                        CleanText(answer->error().message()));
  if (!answer->has_view())
    return absl::UnimplementedError(
        "it answered something else than it was asked: its gordian may be older");
  return FarAnswer{.body = std::move(*answer->mutable_view()->mutable_body()),
                   .reading = answer->view().reading()};
}

}  // namespace

std::vector<FarSource> FarSourcesOf(
    const NearNodes& nodes, const std::string& session,
    const std::function<absl::StatusOr<FarState>(size_t node)>& state) {
  std::vector<FarSource> sources;
  for (size_t node = 0; node < nodes.names.size(); ++node) {
    sources.push_back(
        {.name = nodes.names[node],
         .directory = session,
         .state = [state, node] { return state(node); },
         .ask = [&nodes, node](std::string_view endpoint, const ViewParameters& parameters,
                               bool read_again) -> absl::StatusOr<FarAnswer> {
           if (endpoint != "slice") return AskView(nodes, node, endpoint, parameters, read_again);
           auto json = FarSliceJson(nodes, node, parameters);
           if (!json.ok()) return json.status();
           return FarAnswer{.body = *std::move(json)};
         }});
  }
  return sources;
}

}  // namespace gordian
