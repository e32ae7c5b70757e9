// SPDX-License-Identifier: Apache-2.0
#include "participation/row_tally.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint32_t kNoVertex = UINT32_MAX;

// "shop" of "shop #2".
std::string GroupOfLane(const std::string& worker) {
  const size_t sign = worker.rfind(" #");
  const bool has_number = sign != std::string::npos && sign > 0 && sign + 2 < worker.size() &&
                          worker.find_first_not_of("0123456789", sign + 2) == std::string::npos;
  return has_number ? worker.substr(0, sign) : worker;
}

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

bool IsLarger(const pb::ParticipationRow& a, const pb::ParticipationRow& b) {
  return std::tuple(-a.cp(), -a.crossings(), a.name()) <
         std::tuple(-b.cp(), -b.crossings(), b.name());
}

}  // namespace

// Lanes of one group, "shop", "shop #2", …, are one vertex.
uint32_t RowTally::VertexOf(uint32_t worker, const ActivityNames& names) {
  if (vertices_.size() <= worker) vertices_.resize(names.size(), kNoVertex);
  uint32_t& vertex = vertices_[worker];
  if (vertex != kNoVertex) return vertex;
  const auto [entry, is_new] = vertex_numbers_.try_emplace(
      GroupOfLane(names.Text(worker)), static_cast<uint32_t>(vertex_names_.size()));
  if (is_new) vertex_names_.push_back(entry->first);
  return vertex = entry->second;
}

// Nothing of an edge that is in no row: of links, a worker's own activity.
std::optional<uint64_t> RowTally::KeyOf(const ActivityEdge& edge, const ActivityNames& names) {
  switch (by_) {
    case ParticipationBy::kActivity:
      return edge.type;
    case ParticipationBy::kThread:
      return edge.src_worker;
    case ParticipationBy::kVertex:
      return VertexOf(edge.src_worker, names);
    case ParticipationBy::kOperator:
      return edge.label;
    case ParticipationBy::kLink:
      if (edge.src_worker != edge.dst_worker) return Pair(edge.src_worker, edge.dst_worker);
      break;
    case ParticipationBy::kFunction:
    case ParticipationBy::kPhase:
      break;
  }
  return std::nullopt;
}

std::string RowTally::NameOfRow(uint64_t key, const ActivityNames& names) const {
  if (by_ == ParticipationBy::kVertex) return CleanText(vertex_names_[key]);
  if (by_ != ParticipationBy::kLink) return CleanText(names.Text(static_cast<uint32_t>(key)));
  return absl::StrCat(CleanText(names.Text(static_cast<uint32_t>(key >> 32))), " → ",
                      CleanText(names.Text(static_cast<uint32_t>(key))));
}

void RowTally::Tell(std::span<const ActivityEdge> edges, std::span<const double> crossings,
                    const WindowBorders& window, const ActivityNames& names,
                    pb::ParticipationWindow& told) {
  sums_.clear();
  workers_seen_.clear();
  const auto window_ns = static_cast<double>(window.to_ns - window.from_ns);
  for (size_t i = 0; i < edges.size(); ++i) {
    const ActivityEdge& edge = edges[i];
    if (!edge.traversable || !IsInWindow(edge, window)) continue;
    const auto key = KeyOf(edge, names);
    if (!key) continue;
    Sum& sum = sums_[*key];
    sum.cp += crossings[i] * static_cast<double>(LengthInWindow(edge, window)) / window_ns;
    sum.crossings += crossings[i];
    if (by_ != ParticipationBy::kOperator) continue;
    if (workers_seen_.insert(Pair(edge.label, edge.src_worker)).second) ++sum.workers;
  }
  std::vector<pb::ParticipationRow> rows;
  for (const auto& [key, sum] : sums_) {
    if (sum.crossings == 0) continue;
    pb::ParticipationRow& row = rows.emplace_back();
    row.set_name(NameOfRow(key, names));
    row.set_cp(sum.cp);
    row.set_crossings(sum.crossings);
    if (by_ != ParticipationBy::kOperator) continue;
    row.set_workers(sum.workers);
    row.set_cp_per_worker(sum.cp / sum.workers);
  }
  std::sort(rows.begin(), rows.end(), IsLarger);
  for (pb::ParticipationRow& row : rows) *told.add_rows() = std::move(row);
}

}  // namespace gordian
