// SPDX-License-Identifier: Apache-2.0
// One session in memory, for the session manager's own sources.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "recorder/clocks/clock_follower.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/session_manager.h"

namespace gordian {

// A controller arms many nodes and then begins: seconds. If it dies between, the nodes let go.
inline constexpr uint64_t kArmedForNs = 60'000'000'000;

// `use` is held while it is stopped or a snapshot is taken of it, and is
// taken before mutex_.
struct SessionManager::Session {
  RecordingOptions options;
  int64_t started_realtime_ns = 0;
  uint64_t armed_at_ns = 0;  // of CLOCK_MONOTONIC; 0: it was not armed
  std::string node;          // the controller's name of this node
  bool is_clock_reference = false;
  std::mutex use;

  // Guarded by mutex_.
  std::shared_ptr<Recording> recording;  // set while it records
  std::optional<RecordingStatus> ended;  // how it ended
  bool begin_asked = false;
  double budget_share = 0;  // its part of the CPUs now; 0: as much as it needs
  // Shared, so that a caller that asks it for the newest offset need not hold mutex_. Tells the
  // recording, which therefore outlives it: it goes before the recording is stopped.
  std::shared_ptr<ClockFollower> clock;
};

}  // namespace gordian
