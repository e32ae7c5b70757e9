// SPDX-License-Identifier: Apache-2.0
// Samples of perf.data by the fields that their event's attribute says they have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/kernel/byte_cursor.h"

namespace gordian {

struct PerfAttribute {
  bool tracepoint = false;
  bool each = false;       // each event is a sample, not only some
  uint32_t sample_hz = 0;  // of events that tell where threads ran: how often; 0: others
  uint64_t sample_type = 0;
  uint64_t read_format = 0;

  // Takes it from a perf_event_attr. What is missing is 0.
  static PerfAttribute Parse(ByteCursor bytes);
};

struct PerfSample {
  uint64_t time_ns = 0;
  uint32_t cpu = 0;
  int32_t pid = 0;
  int32_t tid = 0;
  std::span<const uint8_t> raw;
  std::span<const uint8_t> chain;  // 8 bytes each: addresses, and marks of what follows

  // False if the record is shorter than its type says.
  bool Parse(ByteCursor bytes, const PerfAttribute& attribute);
};

// The parts of a chain, innermost address first. Those of guests of a virtual machine are left out.
void SplitChain(std::span<const uint8_t> chain, std::vector<uint64_t>& kernel,
                std::vector<uint64_t>& user);

// Of PERF_SAMPLE_TID and what follows it, at the end of records that are no samples.
uint64_t PerfTrailerBytes(uint64_t sample_type);

}  // namespace gordian
