// The CPU time that helpers took for one purpose: threads, and the processes that read files
// (jail.h). Several threads may use it at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gordian {

class ReadingAccount {
 public:
  void Spend(int64_t cpu_ns) { spent_ns_.fetch_add(cpu_ns, std::memory_order_relaxed); }
  int64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> spent_ns_ = 0;
};

}  // namespace gordian
