// SPDX-License-Identifier: Apache-2.0
// Measures a session's clock against its reference: at the start, every few seconds, and once more
// when it is asked to, at the end.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/clocks/clock_exchange.h"
#include "recorder/clocks/node_clock_table.h"

namespace gordian {

// One measurement: several exchanges. It must return within seconds, even if the network fails.
using MeasureReference = std::function<absl::StatusOr<MeasuredClock>()>;

class ClockFollower {
 public:
  // `told` hears of every change, by the follower's thread or MeasureNow's caller.
  ClockFollower(const std::string& node, const std::string& reference, MeasureReference measure,
                std::function<void(const pb::NodeClock&)> told);
  ~ClockFollower();
  ClockFollower(const ClockFollower&) = delete;
  ClockFollower& operator=(const ClockFollower&) = delete;

  // Measures, or waits for a measurement that is under way.
  void MeasureNow();

  struct Newest {
    std::string reference;
    std::optional<pb::ClockOffset> offset;
    absl::Status error;  // of the newest attempt
  };
  Newest newest() const;

 private:
  void Run();

  const MeasureReference measure_;
  const std::function<void(const pb::NodeClock&)> told_;
  std::mutex measuring_;  // before mutex_

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  NodeClockTable table_;
  absl::Status error_;
  std::thread thread_;
};

}  // namespace gordian
