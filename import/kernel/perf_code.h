// SPDX-License-Identifier: Apache-2.0
// What perf.data tells of code in memory: its records of mappings and of the kernel's functions,
// and its list of build-ids.
#pragma once

#include <cstdint>
#include <span>

#include "import/kernel/code_map.h"

namespace gordian {

// PERF_RECORD_MMAP and PERF_RECORD_MMAP2. False if it is too short.
bool TakePerfMapping(uint32_t type, uint16_t misc, std::span<const uint8_t> body, uint64_t time_ns,
                     CodeMap& map);
// PERF_RECORD_KSYMBOL, likewise.
bool TakePerfKernelFunction(std::span<const uint8_t> body, CodeMap& map);
// The part of the file that lists build-ids. False if it is cut.
bool TakePerfBuildIds(std::span<const uint8_t> list, CodeMap& map);

}  // namespace gordian
