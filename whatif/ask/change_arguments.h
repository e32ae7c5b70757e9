// SPDX-License-Identifier: Apache-2.0
// The arguments of changes as a person writes them: 'disk vda=0.5', 'B->disk vda', 'worker=4'.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "whatif/ask/recorded_names.h"

namespace gordian {

// The contents of an argument. Each kind of change uses part of it.
struct ChangeArgument {
  uint32_t from = 0;      // the vertex that waits, or that is changed
  uint32_t to = 0;        // the vertex it waits for
  std::string from_name;  // as the report has it; of a function its name
  std::string to_name;
  double number = 0;      // factor, ways, threads, times or CPUs
  uint32_t node = 0;      // of CPUs; by its number
  std::string node_name;  // of several; else empty

  uint32_t count() const { return static_cast<uint32_t>(number); }
};

// Each reads one form. `option` is without its dashes. InvalidArgument tells the form, NotFound
// that the recording holds nothing of the kind.
using ArgumentReader = absl::StatusOr<ChangeArgument>(const char* option, const std::string& text,
                                                      const RecordedNames& names);
ArgumentReader ReadDeviceFactor;  // of a disk or link
ArgumentReader ReadThreadFactor;
ArgumentReader ReadSleeperFactor;   // of a thread that sleeps
ArgumentReader ReadFunctionFactor;  // of a function that was seen running
ArgumentReader ReadWaits;           // WHO->WHOM
ArgumentReader ReadLock;            // WHO->WHOM, threads both
ArgumentReader ReadLockWays;        // WHO->WHOM=WAYS
ArgumentReader ReadWokenThread;     // THREAD that others wake
ArgumentReader ReadThreadCount;     // THREAD or THREAD=COUNT
ArgumentReader ReadThreadTimes;     // THREAD=TIMES
ArgumentReader ReadCpus;            // N, of several nodes NODE=N

}  // namespace gordian
