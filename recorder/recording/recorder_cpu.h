// SPDX-License-Identifier: Apache-2.0
// The CPU time of the process that records, shared out over its recordings: so that the budgets of
// all of them together hold for everything it does.
//
// A recording pays for its own threads. All other time (reading the files of programs, answers to
// clients, measuring clocks, children that were waited for) is paid for in equal parts by those
// that record at that moment. So nothing goes unpaid, and nothing is paid twice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace gordian {

class RecorderCpu : public std::enable_shared_from_this<RecorderCpu> {
 public:
  // `total_ns` tells the process's CPU time so far.
  static std::shared_ptr<RecorderCpu> Make(std::function<uint64_t()> total_ns);

  // One recording's part. It leaves when this goes.
  class Share {
   public:
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Takes what the recording's own threads took since the last call. Returns what it has to pay
    // for since then: that, and its part of the rest.
    uint64_t Take(uint64_t own_ns);

   private:
    friend class RecorderCpu;
    explicit Share(std::shared_ptr<RecorderCpu> all) : all_(std::move(all)) {}
    const std::shared_ptr<RecorderCpu> all_;
    uint64_t paid_ = 0;  // of each_ns_
  };
  std::unique_ptr<Share> Join();

 private:
  explicit RecorderCpu(std::function<uint64_t()> total_ns) : total_ns_(std::move(total_ns)) {}
  void ShareOut();

  const std::function<uint64_t()> total_ns_;
  std::mutex mutex_;
  uint64_t shares_ = 0;
  uint64_t own_ns_ = 0;     // of all recordings' own threads
  uint64_t shared_ns_ = 0;  // the rest, as far as it was shared out
  uint64_t each_ns_ = 0;    // what one share that was there from the beginning had to pay of it
};

// This process's, of all threads that are or were. With `children`: also of the processes it has
// waited for.
uint64_t ProcessCpuNs(bool children);
// The calling thread's.
uint64_t ThreadCpuNs();

}  // namespace gordian
