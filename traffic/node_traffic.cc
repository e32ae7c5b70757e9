// SPDX-License-Identifier: Apache-2.0
#include "traffic/node_traffic.h"

#include "analyzer/timeline/pauses.h"
#include "traffic/node_pass.h"

namespace gordian {
namespace {

// A thread's identity may have been looked up a little after its first packet.
void LearnThreads(SessionReader& session, NodePass& pass) {
  if (session.tasks() == nullptr) return;
  EventBlock block;
  std::set<int32_t> known;
  for (size_t i = 0; i < session.tasks()->blocks().size(); ++i) {
    if (!session.tasks()->Read(i, block).ok()) continue;  // counted when it is read for its events
    for (const TaskRecord& task : block.tasks)
      if (known.insert(task.tid).second) pass.LearnBefore(task);
  }
}

}  // namespace

const NodeFlow* NodeTraffic::Find(const FlowTuple& tuple) const {
  const auto found = flow_of.find(tuple);
  return found == flow_of.end() ? nullptr : &flows[found->second];
}

NodeTraffic ReadNodeTraffic(SessionReader& session, const ClockShift& shift, const SpanPlan& plan,
                            size_t node) {
  NodePass pass(session.session(), shift, plan, node);
  LearnThreads(session, pass);
  for (MergedEvents events(session); events.Next();) pass.Add(events.event(), events.block());
  NodeTraffic traffic = pass.Finish();
  traffic.paused_ns = Pauses(session.session(), 0).total_ns();
  return traffic;
}

}  // namespace gordian
