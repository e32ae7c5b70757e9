// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/watermark.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

// The kernel's programs read a clock that takes no lock. While the kernel changes the clock's
// speed, it may be behind the one read here: by less than a microsecond if NTP's largest change,
// one in two thousand, takes a millisecond. This is a thousand times as much.
constexpr uint64_t kClocksApartNs = 1'000'000;

}  // namespace

Watermark::Watermark(std::function<bool()> await_running)
    : await_running_(std::move(await_running)), thread_([this] { Run(); }) {}

Watermark::~Watermark() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watermark::Ask(uint64_t now_ns) {
  {
    const std::lock_guard lock(mutex_);
    if (stage_ != Stage::kIdle) return;
    asked_ns_ = now_ns;
    stage_ = Stage::kWaiting;
  }
  changed_.notify_all();
}

void Watermark::DrainBegins() {
  const std::lock_guard lock(mutex_);
  drain_is_late_enough_ = stage_ == Stage::kAllEnded;
}

void Watermark::DrainEnds(bool reached_ends) {
  if (!drain_is_late_enough_ || !reached_ends) return;
  drained_until_ns_ = std::max(drained_until_ns_, asked_ns_ - std::min(asked_ns_, kClocksApartNs));
  drain_is_late_enough_ = false;
  const std::lock_guard lock(mutex_);
  stage_ = Stage::kIdle;
}

void Watermark::Run() {
  pthread_setname_np(pthread_self(), "gordian-settle");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || stage_ == Stage::kWaiting; });
    if (ends_) return;
    lock.unlock();
    const bool all_ended = await_running_();
    lock.lock();
    stage_ = all_ended ? Stage::kAllEnded : Stage::kIdle;
  }
}

}  // namespace gordian
