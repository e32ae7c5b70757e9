// SPDX-License-Identifier: Apache-2.0
// The waits behind the edges over time, for the HTML page.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/listings.pb.h"

namespace gordian {

struct HistoryOptions {
  uint32_t strip_bins = 240;
  size_t most_edges = 400;  // those of the findings, then the heaviest
  TimeRange range;
};

// Fills page.strip_bins and page.histories for the edges of page.report. `vertex_of_entity` tells
// which vertex an entity belongs to.
void AddEdgeHistories(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                      const HistoryOptions& options, pb::PageData& page);

}  // namespace gordian
