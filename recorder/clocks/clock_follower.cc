// SPDX-License-Identifier: Apache-2.0
#include "recorder/clocks/clock_follower.h"

#include <chrono>
#include <utility>

namespace gordian {
namespace {

// Between two measurements the bound grows by half a millisecond at most.
constexpr auto kInterval = std::chrono::seconds(2);

}  // namespace

ClockFollower::ClockFollower(const std::string& node, const std::string& reference,
                             MeasureReference measure,
                             std::function<void(const pb::NodeClock&)> told)
    : measure_(std::move(measure)), told_(std::move(told)), table_(node, reference) {
  thread_ = std::thread(&ClockFollower::Run, this);
}

ClockFollower::~ClockFollower() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ClockFollower::MeasureNow() {
  const std::lock_guard one_at_a_time(measuring_);
  const absl::StatusOr<MeasuredClock> measured = measure_();
  pb::NodeClock clock;
  {
    const std::lock_guard lock(mutex_);
    error_ = measured.status();
    if (measured.ok()) {
      table_.Add(*measured);
    } else {
      table_.AddFailure();
    }
    clock = table_.clock();
  }
  told_(clock);
}

ClockFollower::Newest ClockFollower::newest() const {
  const std::lock_guard lock(mutex_);
  const pb::NodeClock& clock = table_.clock();
  Newest newest{.reference = clock.reference(), .offset = std::nullopt, .error = error_};
  if (clock.offsets_size() > 0) newest.offset = clock.offsets(clock.offsets_size() - 1);
  return newest;
}

void ClockFollower::Run() {
  while (true) {
    MeasureNow();
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kInterval, [this] { return ending_; })) return;
  }
}

}  // namespace gordian
