// SPDX-License-Identifier: Apache-2.0
#include "cli/event_filter.h"

#include <algorithm>

#include "trace/event_schema.h"

namespace gordian {
namespace {

template <typename Value>
bool Contains(const std::vector<Value>& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool HasPart(const TraceEvent& event, const EventBlock& block, const std::vector<int32_t>& tids) {
  const EventSchema* schema = FindSchema(event.kind);
  const void* record = RecordOf(event, block);
  if (record == nullptr) return false;
  for (const EventField& field : schema->fields) {
    const bool has_part =
        field.coding == Coding::kThread || (field.has_part && field.has_part(record));
    if (has_part && Contains(tids, static_cast<int32_t>(field.member.get(record)))) return true;
  }
  return false;
}

}  // namespace

bool EventFilter::IsPast(uint64_t time_ns, uint64_t start_time_ns) const {
  return time_ns >= start_time_ns && time_ns - start_time_ns >= to_ns;
}

// An event before the start counts as at the start.
bool EventFilter::Shows(const TraceEvent& event, const EventBlock& block,
                        uint64_t start_time_ns) const {
  const uint64_t since_start_ns =
      event.time_ns > start_time_ns ? event.time_ns - start_time_ns : uint64_t{0};
  if (since_start_ns < from_ns || since_start_ns >= to_ns) return false;
  if (!any_cpu && event.cpu != cpu) return false;
  if (!kinds.empty() && !Contains(kinds, event.kind)) return false;
  return tids.empty() || HasPart(event, block, tids);
}

}  // namespace gordian
