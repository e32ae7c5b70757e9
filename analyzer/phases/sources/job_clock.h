// From the clocks that logs use to the one of the job.
//
// With a session that is its node's CLOCK_MONOTONIC: the session tells pairs of both clocks, taken
// while it was recorded; between two of them the difference is drawn as a line, before the first
// and after the last it stays. Logs of other nodes are taken to agree with that node's wall clock.
// Without a session, wall clock times stay as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/session.pb.h"

namespace gordian {

class JobClock {
 public:
  JobClock() = default;
  explicit JobClock(const pb::Session& session);

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
