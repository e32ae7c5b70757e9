// SPDX-License-Identifier: Apache-2.0
// Makes the rows of unwind_table.h from an ELF file. Only for the child process.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/unwind_table.h"

namespace gordian {

// At most `max_rows`; equal neighbours are one. Empty where the file is no ELF file of this
// machine, or has no .eh_frame_hdr that tells where functions begin.
std::vector<UnwindRow> MakeUnwindRows(int file, uint64_t base, uint32_t max_rows);

}  // namespace gordian
