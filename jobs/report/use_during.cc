#include "jobs/report/use_during.h"

#include <algorithm>

namespace gordian {
namespace {

struct Sum {
  double used = 0;
  double possible = 0;
  bool of_capacity = true;
};

void AddUse(const Timeslices& slices, const ResourceColumns& columns, const Ranges& at, Sum& sum) {
  for (const Range& range : at) {
    const uint64_t end = std::min<uint64_t>(range.end, std::min(columns.use.size(), slices.count));
    for (uint64_t slice = range.begin; slice < end; ++slice) {
      const double known = std::min(columns.coverage[slice], 1.0F);
      sum.used += columns.use[slice] * known;
      sum.possible += columns.capacity * known;
    }
  }
}

}  // namespace

std::vector<ShareOfUse> UseDuring(const JobAnalysis& analysis, std::span<const Range> times_ns) {
  const Job& job = analysis.job;
  const Timeslices& slices = analysis.attribution.slices;
  std::vector<Range> touched;
  for (const Range& time_ns : times_ns) touched.push_back(slices.Within(time_ns));
  const Ranges at = UnionOf(std::move(touched));
  std::vector<Sum> of_types(job.model.resources.size());
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    const ResourceColumns& columns = analysis.attribution.resources[id];
    if (columns.coverage.size() != columns.use.size()) continue;
    Sum& sum = of_types[job.resources[id].type];
    sum.of_capacity &= columns.capacity_known;
    AddUse(slices, columns, at, sum);
  }
  std::vector<ShareOfUse> shares;
  for (ResourceTypeId type = 0; type < of_types.size(); ++type) {
    const Sum& sum = of_types[type];
    if (!(sum.possible > 0)) continue;
    shares.push_back({job.model.resources[type].name, std::clamp(sum.used / sum.possible, 0.0, 1.0),
                      sum.of_capacity});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ShareOfUse& a, const ShareOfUse& b) { return a.share > b.share; });
  return shares;
}

}  // namespace gordian
