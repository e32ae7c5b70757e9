// SPDX-License-Identifier: Apache-2.0
// The phases that programs tell.
#include <algorithm>
#include <utility>

#include "query/tables.h"

namespace gordian {
namespace {

// Those of the threads that were asked for, within the limits on time.
std::vector<uint32_t> AskedPhases(QueriedRecording& queried, const RowLimits& limits) {
  const Timeline& timeline = queried.timeline();
  const auto& phases = queried.phases().phases;
  std::vector<uint32_t> rows;
  for (const EntityId thread : AskedThreads(limits, timeline.thread_count())) {
    for (const ThreadPhase& phase : queried.graph().PhasesOfThread(thread)) {
      if (limits.begin.Hold(SinceStart(timeline, phase.from_ns)) &&
          limits.end.Hold(SinceStart(timeline, phase.to_ns)))
        rows.push_back(static_cast<uint32_t>(&phase - phases.data()));
    }
  }
  return rows;
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenPhases(QueriedRecording& queried,
                                                    const RowLimits& limits) {
  const auto rows = std::make_shared<const std::vector<uint32_t>>(AskedPhases(queried, limits));
  const auto tell = [rows, &told = queried.phases(), &timeline = queried.timeline()](
                        size_t row, size_t column, SqlValue& value) {
    const ThreadPhase& phase = told.phases[(*rows)[row]];
    switch (column) {
      case 0:
        return value.Integer(phase.thread);
      case 1:
        return value.Integer(SinceStart(timeline, phase.from_ns));
      case 2:
        return value.Integer(SinceStart(timeline, phase.to_ns));
      case 3:
        return value.StaticText(told.names[phase.name]);
      default:
        return value.StaticText(NameOf(told.activities[phase.name]));
    }
  };
  return RowsByNumber(0, rows->size(), tell, [rows](size_t row) { return (*rows)[row]; });
}

}  // namespace

SqlTable PhaseTable() {
  return {.name = "phase",
          .about = "The phases that programs tell; at each moment of a thread the innermost one",
          .example = "SELECT name, count(*), sum(end_ns - begin_ns) FROM phase GROUP BY name",
          .columns = {{"thread", SqlType::kInteger, "thread.id"},
                      {"begin_ns", SqlType::kInteger, "when it became the innermost one"},
                      {"end_ns", SqlType::kInteger, "when it ended, or another one began in it"},
                      {"name", SqlType::kText, "as the program calls it"},
                      {"activity", SqlType::kText,
                       "Processing, Barrier, Serialization or Buffer: what its name says"}},
          .key = 0,
          .begin = 1,
          .end = 2,
          .order = {0, 1},
          .open = OpenPhases};
}

}  // namespace gordian
