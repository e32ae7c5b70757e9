// SPDX-License-Identifier: Apache-2.0
// Fills the kernel maps through which user stacks are followed (bpf/unwind_tables.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bpf/unwind_tables.h"
#include "recorder/attach/kernel_programs.h"

namespace gordian {

// A new chunk changes a map of maps, which waits until no program can use the old contents: some 30
// ms. Not for a thread that has to be in time.
class UnwindMapWriter {
 public:
  explicit UnwindMapWriter(const UnwindMaps& maps) : maps_(maps) {}
  ~UnwindMapWriter();
  UnwindMapWriter(const UnwindMapWriter&) = delete;
  UnwindMapWriter& operator=(const UnwindMapWriter&) = delete;

  // Does nothing if it is there already. WriteRows does it, too.
  absl::Status MakeChunk(uint32_t chunk);
  absl::Status WriteRows(uint32_t chunk, uint32_t first_row, std::span<const gd_unwind_row> rows);
  // A program that is still led to the old ranges finds another generation, and stops.
  absl::Status PutMappings(uint32_t set, uint32_t generation,
                           std::span<const gd_unwind_range> ranges);
  absl::Status SetProcess(int32_t tgid, gd_unwind_process process);
  void RemoveProcess(int32_t tgid);

 private:
  const UnwindMaps maps_;
  std::vector<int> chunks_;  // -1: not made
};

}  // namespace gordian
