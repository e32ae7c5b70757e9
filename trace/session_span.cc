// SPDX-License-Identifier: Apache-2.0
#include "trace/session_span.h"

#include <algorithm>
#include <limits>

namespace gordian {

SessionSpan SpanOf(const SessionReader& session) {
  SessionSpan span;
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  uint64_t last_ns = 0;
  for (const auto& stream : session.cpus()) {
    for (const BlockInfo& block : stream->blocks()) {
      first_ns = std::min(first_ns, block.first_time_ns);
      last_ns = std::max(last_ns, block.last_time_ns);
    }
    span.gave_way |= !stream->blocks().empty() && stream->blocks().front().sequence > 0;
  }
  const uint64_t told_ns = session.session().start_time_ns();
  span.end_ns = std::max(last_ns, session.session().end_time_ns());
  span.start_ns = told_ns == 0 || span.gave_way ? first_ns : std::min(first_ns, told_ns);
  span.start_ns = std::min(span.start_ns, span.end_ns);
  return span;
}

}  // namespace gordian
