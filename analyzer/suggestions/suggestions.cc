// SPDX-License-Identifier: Apache-2.0
#include "analyzer/suggestions/suggestions.h"

#include <algorithm>
#include <utility>

namespace gordian {

Suggestions FindSuggestions(const Timeline& timeline, const Code& code,
                            const SuggestionOptions& options) {
  Suggestions found = FindFalseWakeups(timeline, code, options);
  for (Suggestion& spin : FindSpins(timeline, code, options)) found.all.push_back(std::move(spin));
  std::stable_sort(found.all.begin(), found.all.end(),
                   [](const Suggestion& a, const Suggestion& b) { return a.time_ns > b.time_ns; });
  return found;
}

}  // namespace gordian
