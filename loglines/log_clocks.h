// SPDX-License-Identifier: Apache-2.0
// From the times that logs write to those of a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/recording.h"
#include "jobs/sources/job_clock.h"
#include "loglines/line_stamps.h"

namespace gordian {

// The time that a stamp covers, in recorded time.
struct LineWindow {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // later
  // How far it lies outside of the recording; 0: it is within.
  uint64_t before_ns = 0;
  uint64_t after_ns = 0;
  bool is_in_pause = false;  // nothing was recorded then
  bool is_within() const { return before_ns == 0 && after_ns == 0; }
};

class LogClocks {
 public:
  // Opens the sessions of its nodes for their clocks.
  explicit LogClocks(const LoadedRecording& recording);

  size_t nodes() const { return nodes_.size(); }
  LineWindow WindowOf(const LineStamp& stamp, uint32_t node) const;
  // The middle of the recording by the wall clock: what a stamp without a date is near to.
  uint64_t middle_realtime_ns() const { return middle_realtime_ns_; }
  // Without pairs of both clocks, as in some imported recordings, wall clock times are taken for
  // the recording's.
  bool knows_wall_clock() const { return knows_wall_clock_; }
  const std::string& hostname(uint32_t node) const { return nodes_[node].hostname; }

 private:
  struct Node {
    JobClock wall;
    std::string hostname;
    uint64_t error_ns = 0;  // of its pairs of clocks
  };
  uint64_t ToReference(uint32_t node, uint64_t own_ns) const;

  const LoadedRecording& recording_;
  std::vector<Node> nodes_;
  uint64_t middle_realtime_ns_ = 0;
  bool knows_wall_clock_ = true;
};

// The zone in which times without one are read: `told` if it is not empty, else UTC, else this
// machine's, else the first whole quarter of an hour, that brings the stamp into the recording. A
// recording of several hours may fit more than one: then the first is taken.
struct ChosenZone {
  std::string zone;
  std::string words;      // "UTC+01:00", to be told
  bool is_guess = false;  // neither told nor UTC
};
ChosenZone ChooseZone(const LogClocks& clocks, const LineStamps& stamps, std::string_view line,
                      uint32_t node, const std::string& told);

}  // namespace gordian
