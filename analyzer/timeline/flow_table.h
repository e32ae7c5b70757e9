// SPDX-License-Identifier: Apache-2.0
// What flow ids mean.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "trace/trace_event.h"

namespace gordian {

using FlowTable = absl::flat_hash_map<uint32_t, FlowRecord>;

// A flow is told again with the origin of its packets, and in any order.
inline void AddFlow(const FlowRecord& flow, FlowTable& flows) {
  FlowRecord& known = flows[flow.flow_id];
  const uint32_t origin = flow.origin_flow_id != 0 ? flow.origin_flow_id : known.origin_flow_id;
  known = flow;
  known.origin_flow_id = origin;
}

}  // namespace gordian
