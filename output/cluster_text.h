// SPDX-License-Identifier: Apache-2.0
// How recordings of many nodes became one, in the text report.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

// How much of the time some node paused, and which nodes.
void AddPausesOfNodes(const pb::RecordingSummary& recording, const pb::ClusterSummary& cluster,
                      TextPage& page);

// Rows of the recording's section: clocks, matched waits, links, nodes left out.
void AddClusterText(const pb::ClusterSummary& cluster, TextPage& page);

std::string ClockDuration(double seconds);  // 38 µs

}  // namespace gordian
