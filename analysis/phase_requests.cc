// SPDX-License-Identifier: Apache-2.0
#include "analysis/phase_requests.h"

namespace gordian {

std::vector<Request> RequestsOfPhases(const RecordedPhases& phases, std::string_view name,
                                      const RequestSearch& search) {
  std::vector<Request> requests;
  for (const ThreadPhase& phase : phases.whole) {
    const bool of_target = search.is_target.empty() || (phase.thread < search.is_target.size() &&
                                                        search.is_target[phase.thread] != 0);
    if (phases.names[phase.name] != name || !of_target || phase.from_ns < search.from_ns ||
        phase.to_ns > search.to_ns)
      continue;
    requests.push_back({.thread = phase.thread,
                        .start_ns = phase.from_ns,
                        .received_ns = phase.from_ns,
                        .answer_ns = phase.to_ns,
                        .end_ns = phase.to_ns});
  }
  return requests;
}

std::string PhaseOfProgress(std::string_view progress) {
  constexpr std::string_view kWord = "phase ";
  return progress.starts_with(kWord) ? std::string(progress.substr(kWord.size())) : std::string();
}

}  // namespace gordian
