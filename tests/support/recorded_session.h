// SPDX-License-Identifier: Apache-2.0
// A whole recording in memory, for tests that look at every event of it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "tests/support/thread_checker.h"
#include "trace/session_reader.h"
#include "trace/trace_event.h"

namespace gordian::testing {

struct RecordedSession {
  pb::Session session;
  ReadDamage damage;
  std::vector<TraceEvent> events;  // merged, in time order; kTask events refer to `tasks` below
  std::vector<TaskRecord> tasks;
  std::map<uint32_t, FlowRecord> flows;
  std::map<uint32_t, StackRecord> stacks;
  std::map<uint32_t, WaitObjectRecord> wait_objects;

  // Of events that came from a CPU's ring: not those the recorder itself adds.
  uint64_t CountFromCpus(EventKind kind) const;
  // Sum over the loss events of that kind.
  uint64_t CountLost(EventKind kind) const;
  uint64_t last_time_ns() const { return events.empty() ? 0 : events.back().time_ns; }
};

absl::StatusOr<RecordedSession> LoadSession(const std::string& directory);

// Threads that BPF does not see. Some sandboxes hide their own agent so: it is switched to, but
// never away from, and no other event is recorded while it runs.
std::set<int32_t> HiddenThreads(const RecordedSession& recorded);

// Whether one ran on any CPU in that time.
bool HiddenThreadRan(const RecordedSession& recorded, uint64_t begin_ns, uint64_t end_ns);

// Every thread followed through the recording, from its start up to a time. Before the start and
// after the end some hooks are attached and others are not: records from there do not hold
// together.
ThreadChecker FollowThreads(const RecordedSession& recorded, uint64_t until_ns);

}  // namespace gordian::testing
