// SPDX-License-Identifier: Apache-2.0
#include "analysis/target_answers.h"

#include "absl/strings/str_cat.h"
#include "requests/target_requests.h"

namespace gordian {

TargetAnswers AnswersOfTarget(const FoundRequests& found, std::span<const uint8_t> is_target) {
  TargetAnswers answers;
  if (!found.stretches.empty()) return answers;
  const TargetRequests its = RequestsOfTarget(found, is_target);
  if (its.requests.empty()) return answers;
  for (const Request* request : its.requests)
    answers.marks.push_back({request->thread, request->answer_ns});
  answers.what = absl::StrCat("answers of port ", its.port);
  return answers;
}

}  // namespace gordian
