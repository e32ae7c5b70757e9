#include "jobs/tree/phase_search.h"

#include <algorithm>
#include <utility>

namespace gordian {

PhaseSearch::PhaseSearch(const PhaseTypes& types, const FoundPhases& found, PhaseTypeId type,
                         std::vector<uint32_t> ids)
    : types_(types), found_(found), type_(type), depth_(types.depth(type)) {
  std::stable_sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
    return found.phases[a].start_ns < found.phases[b].start_ns;
  });
  for (const uint32_t id : ids) {
    const uint32_t key = found.keys[found.phases[id].keys + depth_];
    if (key != 0) Append(id, by_key_[key]);
    Append(id, all_);
  }
}

void PhaseSearch::Append(uint32_t id, Row& row) const {
  const uint64_t before_ns = row.ids.empty() ? 0 : row.latest_end_ns.back();
  row.ids.push_back(id);
  row.latest_end_ns.push_back(std::max(before_ns, found_.phases[id].end_ns));
}

// A phase without a key of its own fits any key: it counts for a wanted key only if no phase has
// keys.
const PhaseSearch::Row* PhaseSearch::RowFor(const FoundPhase& inner) const {
  const uint32_t key = found_.keys[inner.keys + depth_];
  if (key == 0 || by_key_.empty()) return &all_;
  const auto row = by_key_.find(key);
  return row == by_key_.end() ? nullptr : &row->second;
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
  const Row* row = RowFor(inner);
  if (row == nullptr) return {};
  const size_t after = FirstAfter(*row, inner.start_ns);
  size_t steps = 0;
  for (size_t i = after; i > 0 && ++steps <= kMaxSteps; --i) {
    if (row->latest_end_ns[i - 1] < inner.start_ns) break;
    const FoundPhase& outer = found_.phases[row->ids[i - 1]];
    if (outer.end_ns >= inner.start_ns && Fits(outer, inner)) return {row->ids[i - 1], false};
  }
  steps = 0;
  for (size_t i = after; i < row->ids.size() && ++steps <= kMaxSteps; ++i) {
    const FoundPhase& outer = found_.phases[row->ids[i]];
    if (outer.start_ns >= inner.end_ns) break;
    if (Fits(outer, inner)) return {row->ids[i], false};
  }
  steps = 0;
  for (const uint32_t id : row->ids) {
    if (++steps > kMaxSteps) break;
    if (Fits(found_.phases[id], inner)) return {kNoId, true};
  }
  return {};
}

std::vector<uint32_t> PhaseSearch::Overlapping(const FoundPhase& inner) const {
  std::vector<uint32_t> phases;
  const Row* row = RowFor(inner);
  if (row == nullptr) return phases;
  size_t steps = 0;
  for (size_t i = FirstAfter(*row, inner.end_ns); i > 0 && ++steps <= kMaxSteps; --i) {
    if (row->latest_end_ns[i - 1] <= inner.start_ns) break;
    const FoundPhase& outer = found_.phases[row->ids[i - 1]];
    if (outer.end_ns > inner.start_ns && outer.start_ns < inner.end_ns && Fits(outer, inner))
      phases.push_back(row->ids[i - 1]);
  }
  return phases;
}

}  // namespace gordian
