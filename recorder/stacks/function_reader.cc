// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/function_reader.h"

#include <pthread.h>
#include <time.h>

#include <chrono>

#include "symbols/disk_cache.h"

namespace gordian {
namespace {

// Beyond that names are looked for at the end only.
constexpr size_t kMostModules = 4096;

int64_t OwnThreadCpuNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

FunctionReader::FunctionReader(const SymbolPaths& paths, ReadingAccount& account)
    : account_(account), usable_(DiskCache(paths.cache).status().ok()) {
  if (usable_) thread_ = std::thread([this, paths] { Work(paths); });
}

void FunctionReader::Want(const ProcessMaps& maps, const Mapping& mapping) {
  if (!usable_ || mapping.kind != MappingKind::kFile || known_.size() >= kMostModules) return;
  if (!known_.emplace(mapping.device, mapping.inode, mapping.build_id).second) return;
  ProcessMaps one = {.pid = maps.pid,
                     .pid_in_namespace = maps.pid_in_namespace,
                     .start_time_ticks = maps.start_time_ticks,
                     .mappings = {mapping}};
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back(std::move(one));
  }
  wake_.notify_all();
}

void FunctionReader::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  account_.Hurry();
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FunctionReader::Finish() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return !usable_ || stop_ || (wanted_.empty() && !busy_); });
}

void FunctionReader::Work(const SymbolPaths& paths) {
  pthread_setname_np(pthread_self(), "gordian-names");
  SymbolLimits limits;
  limits.account = &account_;
  Symbolizer symbolizer(paths, limits);
  int64_t told_ns = 0;  // of this thread
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !wanted_.empty(); });
    if (stop_) return;
    if (const int64_t pause_ns = account_.PauseNs(); pause_ns > 0) {
      wake_.wait_for(lock, std::chrono::nanoseconds(pause_ns), [this] { return stop_; });
      continue;
    }
    const ProcessMaps one = std::move(wanted_.front());
    wanted_.pop_front();
    busy_ = true;
    lock.unlock();
    symbolizer.ReadFunctions(one, one.mappings.front());
    const int64_t thread_ns = OwnThreadCpuNs();
    account_.Spend(thread_ns - std::exchange(told_ns, thread_ns));
    lock.lock();
    busy_ = false;
    wake_.notify_all();
  }
}

}  // namespace gordian
