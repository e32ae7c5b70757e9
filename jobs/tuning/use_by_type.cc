// SPDX-License-Identifier: Apache-2.0
#include "jobs/tuning/use_by_type.h"

#include <algorithm>
#include <numeric>

#include "jobs/attribution/measured.h"
#include "jobs/learning/activity.h"

namespace gordian {

// One type after the other, so that one column is enough for all of them.
ObservedUse UseByRecords(const Job& job, const Timeslices& slices, const MeasuredUse& measured) {
  const Ranges known = MeasuredSlices(slices, measured);
  const auto type_of = [&](uint32_t piece) {
    return job.phases[measured.pieces[piece].phase].type;
  };
  std::vector<uint32_t> pieces;
  for (uint32_t i = 0; i < measured.pieces.size(); ++i) {
    if (measured.pieces[i].phase != kNoId) pieces.push_back(i);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](uint32_t a, uint32_t b) { return type_of(a) < type_of(b); });
  std::vector<std::vector<std::pair<PhaseTypeId, double>>> by_slice(slices.count);
  std::vector<double> column(slices.count, 0.0);
  for (size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
    const PhaseTypeId type = type_of(pieces[begin]);
    Ranges touched;
    for (end = begin; end < pieces.size() && type_of(pieces[end]) == type; ++end) {
      const MeasuredUse::Piece& piece = measured.pieces[pieces[end]];
      AddPiece(slices, known, piece, 0, column);
      touched.push_back(slices.Touching({piece.start_ns, piece.end_ns}));
    }
    for (const Range& range : Intersect(UnionOf(std::move(touched)), known)) {
      for (uint64_t slice = range.begin; slice < range.end; ++slice) {
        by_slice[slice].emplace_back(type, column[slice]);
        column[slice] = 0;
      }
    }
  }
  ObservedUse observed;
  for (const Range& range : known) {
    for (uint64_t slice = range.begin; slice < range.end; ++slice) {
      const Range time_ns = slices.TimesOf({slice, slice + 1});
      double use = 0;
      for (const auto& [type, amount] : by_slice[slice]) use += amount;
      observed.samples.push_back({time_ns.begin, time_ns.end, use});
      observed.by_type.push_back(std::move(by_slice[slice]));
    }
  }
  return observed;
}

ObservedUse UseBySamples(const Job& job, const Timeslices& slices, ResourceId resource) {
  ObservedUse observed;
  if (resource >= job.samples.size()) return observed;
  const Range job_ns = slices.TimesOf({0, slices.count});
  for (const ResourceSample& sample : Usable(job.samples[resource])) {
    if (sample.start_ns >= job_ns.begin && sample.end_ns <= job_ns.end)
      observed.samples.push_back(sample);
  }
  return observed;
}

}  // namespace gordian
