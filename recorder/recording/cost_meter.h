// SPDX-License-Identifier: Apache-2.0
// The cost of recording: the CPU time of the process that records, as far as it is this recording's
// to pay for (recorder_cpu.h), and of the kernel's programs.
//
// The kernel accounts for its programs' time only on demand, as that costs more than many a
// program. So it is asked to in the first 100 ms that are recorded, in the first after each pause,
// and then of every second. The cost in between is assumed to be the same. If the kernel does not
// account for it, each record is assumed to cost as much as on a middling machine.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file_descriptor.h"
#include "recorder/attach/kernel_programs.h"
#include "recorder/recording/recorder_cpu.h"

namespace gordian {

class CostMeter {
 public:
  // `programs` must outlive it. Called on the thread that drains, as all that follow. The first
  // cost is that of starting: all that this thread did until then, and `own_ns` of others for it.
  CostMeter(KernelPrograms& programs, std::unique_ptr<RecorderCpu::Share> cpu, uint64_t own_ns,
            uint64_t start_ns);

  // The cost since the last call.
  uint64_t Take(uint64_t now_ns);

  // When the dear programs were detached, and when all are attached again.
  void Pause(uint64_t now_ns);
  void Resume(uint64_t now_ns);

 private:
  void BeginAccount(uint64_t now_ns);
  void EndAccount(uint64_t now_ns);
  uint64_t Records() const;

  KernelPrograms& programs_;
  const std::unique_ptr<RecorderCpu::Share> cpu_;
  uint64_t own_ns_ = 0;     // of other threads for it, not told yet
  uint64_t thread_ns_ = 0;  // told so far
  bool paused_ = false;
  FileDescriptor account_;  // lets the kernel account as long as it is open
  bool accounts_ = false;   // … or would if the kernel could
  uint64_t account_since_ns_ = 0;
  uint64_t records_before_ = 0;
  bool is_known_ = false;  // since the last pause
  double run_ns_per_ns_ = 0;
  uint64_t charged_until_ns_ = 0;
};

}  // namespace gordian
