// SPDX-License-Identifier: Apache-2.0
// A trace for ui.perfetto.dev, written packet by packet. Each thread and device has a track with
// its states as slices, and the findings have a track of their own, and so has a job's critical
// path. Arrows lead from a wake to the woken thread's next state. Further tracks, of slices or of
// numbers, stand in groups.
//
// Order matters little to the reader: packets are sorted by time there. Slices of one track must be
// given in order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schema/report.pb.h"

namespace gordian {

namespace perfetto {
class TracePacket;
}

class PerfettoTrace {
 public:
  // Gets the file's bytes in order.
  using Sink = std::function<void(std::string_view)>;
  explicit PerfettoTrace(Sink sink);

  // Tracks are numbered by the caller.
  void AddThread(uint32_t track, int32_t tid, int32_t pid, std::string_view name,
                 std::string_view process);
  void AddDevice(uint32_t track, std::string_view name);

  // One state of a thread: "run", "waits for vda". `arrow` is that of the wake this state answers,
  // 0 if none.
  void AddState(uint32_t track, uint64_t start_ns, uint64_t end_ns, std::string_view state,
                uint64_t arrow);
  // On the waker's track; returns the arrow's number.
  uint64_t AddWake(uint32_t waker_track, uint64_t time_ns, std::string_view whom);

  // All findings, over the whole recording, the first at the top.
  void AddFindings(const pb::Report& report, uint64_t start_ns, uint64_t end_ns);
  // One stretch of a job's path, in order of time.
  void AddPath(const pb::PathStretch& stretch, uint64_t start_ns, uint64_t end_ns);

  // Further tracks are numbered here. `group` is a track's number that AddGroup gave.
  uint64_t AddGroup(std::string_view name);
  uint64_t AddTrack(uint64_t group, std::string_view name);
  uint64_t AddCounter(uint64_t group, std::string_view name, std::string_view unit);
  // On a track of AddTrack; slices may follow each other and lie within each other.
  void AddSlice(uint64_t track, uint64_t start_ns, uint64_t end_ns, std::string_view what,
                uint64_t arrow = 0);
  // On a track of AddCounter, in order of time; holds until the next.
  void AddCount(uint64_t counter, uint64_t time_ns, double value);

 private:
  void Write(perfetto::TracePacket& packet);
  void NameTrack(uint64_t track, std::string_view name);
  // The number of an event's name, known to the reader from here on.
  uint64_t Intern(std::string_view name);

  Sink sink_;
  std::map<std::string, uint64_t, std::less<>> name_numbers_;
  std::set<int32_t> processes_;
  uint64_t arrows_ = 0;
  bool has_path_track_ = false;
  uint64_t further_tracks_ = 0;
  std::string bytes_;
};

}  // namespace gordian
