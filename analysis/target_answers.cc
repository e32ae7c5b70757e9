// SPDX-License-Identifier: Apache-2.0
#include "analysis/target_answers.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "requests/target_requests.h"

namespace gordian {

TargetAnswers AnswersOfTarget(const Timeline& timeline, const FoundRequests& found,
                              std::span<const uint8_t> is_target) {
  TargetAnswers answers;
  if (!found.stretches.empty()) return answers;
  const TargetRequests its = RequestsOfTarget(found, is_target);
  if (its.requests.empty()) return answers;
  std::map<std::pair<uint32_t, int32_t>, uint32_t> streams;  // by the client's process
  for (const Request* request : its.requests) {
    std::pair<uint32_t, int32_t> client = {0, -1};
    if (request->client < timeline.thread_count()) {
      const Entity& entity = timeline.entities()[request->client];
      client = {entity.node, entity.tgid};
    }
    const uint32_t stream =
        streams.try_emplace(client, static_cast<uint32_t>(streams.size())).first->second;
    answers.marks.push_back({request->thread, request->answer_ns, stream});
  }
  JoinSmallStreams(answers.marks);
  answers.what = absl::StrCat("answers of port ", its.port);
  return answers;
}

}  // namespace gordian
