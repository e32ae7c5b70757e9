// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/measured.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gordian {

Ranges MeasuredSlices(const Timeslices& slices, const MeasuredUse& measured) {
  Ranges within;
  for (const Range& known_ns : UnionOf(measured.known_ns))
    within.push_back(slices.Within(known_ns));
  return UnionOf(std::move(within));
}

double AddPiece(const Timeslices& slices, std::span<const Range> measured_slices,
                const MeasuredUse::Piece& piece, uint64_t first, std::span<double> use) {
  const Range time_ns = {piece.start_ns, piece.end_ns};
  const Range touched = slices.Touching(time_ns);
  double added = 0;
  for (const Range& range : FirstEndingAfter(measured_slices, touched.begin)) {
    if (range.begin >= touched.end) break;
    const uint64_t from = std::max({range.begin, touched.begin, first});
    const uint64_t to = std::min({range.end, touched.end, first + use.size()});
    for (uint64_t slice = from; slice < to; ++slice) {
      const Range slice_ns = slices.TimesOf({slice, slice + 1});
      const uint64_t overlap_ns =
          std::min(slice_ns.end, time_ns.end) - std::max(slice_ns.begin, time_ns.begin);
      const double amount =
          piece.use * static_cast<double>(overlap_ns) / static_cast<double>(slices.slice_ns);
      use[slice - first] += amount;
      added += amount;
    }
  }
  return added;
}

const MeasuredUse* MeasuredOf(std::span<const MeasuredUse> measured, ResourceId resource) {
  for (const MeasuredUse& it : measured) {
    if (it.resource == resource) return &it;
  }
  return nullptr;
}

absl::Status CheckMeasured(const Job& job, std::span<const MeasuredUse> measured) {
  std::vector<bool> seen(job.resources.size(), false);
  for (const MeasuredUse& it : measured) {
    if (it.resource >= job.resources.size() || seen[it.resource])
      return absl::InvalidArgumentError("measured use is of no resource, or twice of the same one");
    seen[it.resource] = true;
    for (const MeasuredUse::Piece& piece : it.pieces) {
      const bool good_phase = piece.phase == kNoId || piece.phase < job.phases.size();
      if (!good_phase || !(piece.use >= 0 && piece.use <= 1e30)) {
        return absl::InvalidArgumentError(
            absl::StrCat("measured use of resource ", job.resources[it.resource].name,
                         " is of no phase, or not a number that can be used"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
