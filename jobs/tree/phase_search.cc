// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/phase_search.h"

#include <algorithm>
#include <utility>

namespace gordian {

PhaseSearch::PhaseSearch(const PhaseTypes& types, const FoundPhases& found, PhaseTypeId type,
                         std::vector<uint32_t> ids)
    : types_(types), found_(found), type_(type), depth_(types.depth(type)) {
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return found.phases[a].start_ns < found.phases[b].start_ns;
  };
  if (!std::is_sorted(ids.begin(), ids.end(), earlier))
    std::stable_sort(ids.begin(), ids.end(), earlier);
  ids_.reserve(ids.size() * 2);
  latest_end_ns_.reserve(ids.size() * 2);
  AddRow(ids);
  all_ = {0, static_cast<uint32_t>(ids.size())};
  std::erase_if(ids, [this](uint32_t id) { return KeyOf(id) == 0; });
  const auto lower_key = [this](uint32_t a, uint32_t b) { return KeyOf(a) < KeyOf(b); };
  if (!std::is_sorted(ids.begin(), ids.end(), lower_key))
    std::stable_sort(ids.begin(), ids.end(), lower_key);
  for (size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
    const uint32_t key = KeyOf(ids[begin]);
    while (end < ids.size() && KeyOf(ids[end]) == key) ++end;
    const auto first = static_cast<uint32_t>(ids_.size());
    AddRow(std::span(ids).subspan(begin, end - begin));
    by_key_[key] = {first, static_cast<uint32_t>(ids_.size())};
  }
}

void PhaseSearch::AddRow(std::span<const uint32_t> ids) {
  uint64_t latest_ns = 0;
  for (const uint32_t id : ids) {
    latest_ns = std::max(latest_ns, found_.phases[id].end_ns);
    ids_.push_back(id);
    latest_end_ns_.push_back(latest_ns);
  }
}

// A phase without a key of its own fits any key: it counts for a wanted key only if no phase has
// keys.
PhaseSearch::Row PhaseSearch::RowFor(const FoundPhase& inner) const {
  const uint32_t key = found_.keys[inner.keys + depth_];
  if (key == 0 || by_key_.empty()) return RowOf(all_);
  const auto row = by_key_.find(key);
  return row == by_key_.end() ? Row{} : RowOf(row->second);
}

bool PhaseSearch::Fits(const FoundPhase& outer, const FoundPhase& inner) const {
  for (size_t level = 0; level <= depth_; ++level) {
    const uint32_t wanted = found_.keys[inner.keys + level];
    const uint32_t has = found_.keys[outer.keys + level];
    if (wanted != 0 && has != 0 && wanted != has) return false;
  }
  const PhasePlace place = types_[type_].place;
  const auto differs = [](auto a, auto b) { return a != 0 && b != 0 && a != b; };
  if (place != PhasePlace::kAnywhere && differs(outer.node, inner.node)) return false;
  if (place >= PhasePlace::kProcess && differs(outer.pid, inner.pid)) return false;
  return place != PhasePlace::kThread || !differs(outer.tid, inner.tid);
}

size_t PhaseSearch::FirstAfter(const Row& row, uint64_t time_ns) const {
  const auto later = std::upper_bound(
      row.ids.begin(), row.ids.end(), time_ns,
      [&](uint64_t time, uint32_t id) { return time < found_.phases[id].start_ns; });
  return later - row.ids.begin();
}

PhaseSearch::Answer PhaseSearch::Around(const FoundPhase& inner) const {
  const Row row = RowFor(inner);
  const size_t after = FirstAfter(row, inner.start_ns);
  size_t steps = 0;
  for (size_t i = after; i > 0 && ++steps <= kMaxSteps; --i) {
    if (row.latest_end_ns[i - 1] < inner.start_ns) break;
    const FoundPhase& outer = found_.phases[row.ids[i - 1]];
    if (outer.end_ns >= inner.start_ns && Fits(outer, inner)) return {row.ids[i - 1], false};
  }
  steps = 0;
  for (size_t i = after; i < row.ids.size() && ++steps <= kMaxSteps; ++i) {
    const FoundPhase& outer = found_.phases[row.ids[i]];
    if (outer.start_ns >= inner.end_ns) break;
    if (Fits(outer, inner)) return {row.ids[i], false};
  }
  steps = 0;
  for (const uint32_t id : row.ids) {
    if (++steps > kMaxSteps) break;
    if (Fits(found_.phases[id], inner)) return {kNoId, true};
  }
  return {};
}

std::vector<uint32_t> PhaseSearch::Overlapping(const FoundPhase& inner) const {
  std::vector<uint32_t> phases;
  const Row row = RowFor(inner);
  size_t steps = 0;
  for (size_t i = FirstAfter(row, inner.end_ns); i > 0 && ++steps <= kMaxSteps; --i) {
    if (row.latest_end_ns[i - 1] <= inner.start_ns) break;
    const FoundPhase& outer = found_.phases[row.ids[i - 1]];
    if (outer.end_ns > inner.start_ns && outer.start_ns < inner.end_ns && Fits(outer, inner))
      phases.push_back(row.ids[i - 1]);
  }
  return phases;
}

}  // namespace gordian
