// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/work_givers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "analyzer/findings/evidence/words.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostGivers = 3;

bool IsWorker(const Vertex& vertex) {
  return vertex.kernel_thread && absl::StartsWith(vertex.name, "kworker");
}

std::string GiversOf(const Case& it, uint32_t worker) {
  std::vector<std::pair<uint64_t, uint32_t>> givers;
  uint64_t all = 0;
  for (const Edge& edge : it.measures().edges_from(worker)) {
    if (edge.to == worker || !it.vertex(edge.to).has_threads()) continue;
    all += edge.count;
    givers.emplace_back(edge.count, edge.to);
  }
  if (all < kManyWaits) return "";
  std::stable_sort(givers.begin(), givers.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (const auto& [count, giver] : givers) {
    const double share = static_cast<double>(count) / static_cast<double>(all);
    if (share < kMattersMuch || names.size() == kMostGivers) break;
    names.push_back(absl::StrCat(it.Name(giver), " (", PercentText(share), ")"));
  }
  if (names.empty()) return "";
  return absl::StrCat(it.Does(worker, "gets its", "get their"), " work from ", Enumerate(names),
                      ".");
}

}  // namespace

std::vector<std::string> WhoGivesWork(const Case& it) {
  std::set<uint32_t> workers(it.limit.members.begin(), it.limit.members.end());
  if (it.limit.attack) workers.insert(it.limit.attack->to);
  std::vector<std::string> sentences;
  for (const uint32_t id : workers) {
    if (!IsWorker(it.vertex(id))) continue;
    std::string sentence = GiversOf(it, id);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace gordian
