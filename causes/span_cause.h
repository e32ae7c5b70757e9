// SPDX-License-Identifier: Apache-2.0
// Vertices of the execution graph one by one: the spans of a thread, and what each came from.
#pragma once

#include <cstdint>
#include <optional>

#include "causes/causes.h"

namespace gordian {

// What let a thread begin a span: the edge that leads there, as slices follow it.
struct SpanCause {
  std::optional<CauseEdge> edge;  // none: no thread let it, as far as is known
  EntityId from = kNobody;
  uint64_t from_ns = 0;
};

// Of a span that begins where that wait of the thread ended.
SpanCause CauseOfWaitEnd(const ExecutionGraph& graph, EntityId thread, const SegmentCursor& wait);
// Of a thread's first span.
SpanCause CauseOfBirth(const ExecutionGraph& graph, EntityId thread);

}  // namespace gordian
