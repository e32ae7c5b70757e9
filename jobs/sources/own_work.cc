// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/own_work.h"

namespace gordian {

void OwnWork::Fill(PhaseCollector& collector, uint64_t to_ns, uint64_t shortest_ns) {
  if (to_ns <= from_ns_ || to_ns - from_ns_ <= shortest_ns) return;
  const PhaseTypeId type = collector.types().ChildOrNew(collector.TypeOf(parent_), "itself");
  if (type == kNoId) return;
  const uint32_t own = collector.AddWithin(
      parent_, {.type = type, .keys = {}, .node = node_, .pid = pid_, .tid = tid_}, from_ns_,
      to_ns);
  if (own == kNoId) return;
  if (last_ != kNoId) collector.SetAfter(own, {last_});
  last_ = own;
}

void OwnWork::ChildBegins(PhaseCollector& collector, uint32_t child, uint64_t start_ns,
                          uint64_t shortest_ns) {
  Fill(collector, start_ns, shortest_ns);
  if (last_ != kNoId) collector.SetAfter(child, {last_});
  last_ = child;
  from_ns_ = std::max(from_ns_, start_ns);
}

void OwnWork::Finish(PhaseCollector& collector, uint64_t end_ns, uint64_t shortest_ns) {
  if (last_ != kNoId) Fill(collector, end_ns, shortest_ns);
}

}  // namespace gordian
