// SPDX-License-Identifier: Apache-2.0
// The arguments of changes as a person writes them: 'disk vda=0.5', 'B->disk vda', 'worker=4'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/ask/recorded_names.h"
#include "whatif/paths/paths.h"

namespace gordian {

// The contents of an argument. Each kind of change uses part of it.
struct ChangeArgument {
  std::vector<uint32_t> vertices;  // those that are changed, or that wait
  std::vector<RemovedEdge> waits;  // of WHO->WHOM
  std::string from_name;           // as the report has it; of a function its name
  std::string to_name;
  double number = 0;  // factor, ways, threads, times or CPUs; of a quota how many times as large
  uint32_t node = 0;  // of CPUs; by its number
  std::string node_name;  // of several; else empty
  std::string cgroup;     // as the recording has it
  double cpus = 0;        // … and its quota

  uint32_t count() const { return static_cast<uint32_t>(number); }
};

// Each reads one form. `option` is without its dashes. InvalidArgument tells the form, NotFound
// that the recording holds nothing of the kind.
using ArgumentReader = absl::StatusOr<ChangeArgument>(const char* option, const std::string& text,
                                                      const RecordedNames& names);
ArgumentReader ReadDeviceFactor;  // of a disk or link
ArgumentReader ReadThreadFactor;
ArgumentReader ReadSleeperFactor;   // of a thread that sleeps
ArgumentReader ReadFunctionFactor;  // of a function; samples must show where the program runs
ArgumentReader ReadWaits;           // WHO->WHOM
ArgumentReader ReadAsync;           // WHO->WHOM or WHO->DISK=HELPERS
ArgumentReader ReadSkipped;         // WHO->WHOM or WHO->WHOM=N
ArgumentReader ReadLock;            // WHO->WHOM, threads both
ArgumentReader ReadLockWays;        // WHO->WHOM=WAYS
ArgumentReader ReadWokenThread;     // THREAD that others wake
ArgumentReader ReadThreadCount;     // THREAD or THREAD=COUNT
ArgumentReader ReadThreadTimes;     // THREAD=TIMES
ArgumentReader ReadCpus;            // N, of several nodes NODE=N
ArgumentReader ReadQuota;           // GROUP=CPUS (quota_argument.cc)

}  // namespace gordian
