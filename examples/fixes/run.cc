// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <gordian_probe.hpp>
#include <utility>

#include "examples/fixes/fixes.h"

namespace gordian::fixes {
namespace {

constexpr uint64_t kNsPerUs = 1000;
constexpr double kNsPerSecond = 1e9;

uint64_t ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

uint64_t NowNs() { return ReadClock(CLOCK_MONOTONIC); }

void Work(uint64_t work_us) {
  const uint64_t end_ns = ReadClock(CLOCK_THREAD_CPUTIME_ID) + work_us * kNsPerUs;
  while (ReadClock(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
  }
}

void Away(uint64_t time_us) {
  timespec left{.tv_sec = static_cast<time_t>(time_us / 1'000'000),
                .tv_nsec = static_cast<long>(time_us % 1'000'000 * kNsPerUs)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

Run::Run(const Options& options) : seconds_(options.seconds), start_ns_(NowNs()) {}

void Run::Start(const std::string& name, std::function<void()> body) {
  threads_.emplace_back([name, body = std::move(body)] {
    pthread_setname_np(pthread_self(), name.c_str());
    body();
  });
}

void Run::CountOne() {
  done_.fetch_add(1, std::memory_order_relaxed);
  gordian::count("done", 1);
}

double Run::Finish(const std::function<void()>& wake) {
  Away(static_cast<uint64_t>(seconds_ * 1e6));
  const double rate =
      static_cast<double>(done_.load()) * kNsPerSecond / static_cast<double>(NowNs() - start_ns_);
  goes_.store(false);
  if (wake) wake();
  for (std::thread& thread : threads_) thread.join();
  return rate;
}

}  // namespace gordian::fixes
