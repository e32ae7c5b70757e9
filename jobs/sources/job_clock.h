// SPDX-License-Identifier: Apache-2.0
// From the clocks that logs use to the one of the job.
//
// With a session that is its node's CLOCK_MONOTONIC: the session tells pairs of both clocks, taken
// while it was recorded; between two of them the difference is a straight line, before the first
// and after the last it stays. Logs of other nodes are assumed to agree with that node's wall
// clock. In a recording of many nodes that is the reference's, or the first's if the reference was
// not recorded. Without a session, wall clock times stay as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "schema/session.pb.h"

namespace gordian {

// From a node's CLOCK_MONOTONIC to the one that the job's times are of; empty: it is that one.
using ClockOfJob = std::function<uint64_t(uint64_t)>;
inline uint64_t ToJob(const ClockOfJob& clock, uint64_t time_ns) {
  return clock ? clock(time_ns) : time_ns;
}

class JobClock {
 public:
  JobClock() = default;
  // `to_job`: from the session's own clock to the job's, if that is another node's.
  explicit JobClock(const pb::Session& session, const ClockOfJob& to_job = {});

  // Nothing if the time lies before the job's clock began.
  std::optional<uint64_t> FromWall(uint64_t realtime_ns) const;

 private:
  struct Pair {
    int64_t realtime_ns;
    int64_t offset_ns;  // monotonic minus realtime
  };
  std::vector<Pair> pairs_;  // by time; empty: the job's clock is the wall clock
};

}  // namespace gordian
