// SPDX-License-Identifier: Apache-2.0
#include "analysis/target_answers.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace gordian {

TargetAnswers AnswersOfTarget(const FoundRequests& found, std::span<const uint8_t> is_target) {
  TargetAnswers answers;
  if (!found.stretches.empty()) return answers;
  const auto port_of = [&](const Request& request) {
    return found.connections[request.connection].to_server.destination_port;
  };
  const auto is_answered = [&](const Request& request) {
    return request.connection != kNoConnection && request.thread < is_target.size() &&
           is_target[request.thread] != 0;
  };
  std::map<uint16_t, uint64_t> time_of_port;
  for (const Request& request : found.requests)
    if (is_answered(request)) time_of_port[port_of(request)] += request.latency_ns();
  if (time_of_port.empty()) return answers;
  const uint16_t port =
      std::max_element(time_of_port.begin(), time_of_port.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  for (const Request& request : found.requests)
    if (is_answered(request) && port_of(request) == port)
      answers.marks.push_back({request.thread, request.answer_ns});
  answers.what = absl::StrCat("answers of port ", port);
  return answers;
}

}  // namespace gordian
