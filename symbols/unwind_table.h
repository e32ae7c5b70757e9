// SPDX-License-Identifier: Apache-2.0
// The way from a function to its caller without frame pointers: a file's call frame information
// (.eh_frame), boiled down to a sorted table that the kernel side can follow.
//
// Of x86-64 files only. Elsewhere compilers keep frame pointers as a rule, and those are followed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/disk_cache.h"
#include "symbols/symbols.h"

namespace gordian {

#if defined(__x86_64__)
inline constexpr bool kHasUnwindTables = true;
#else
inline constexpr bool kHasUnwindTables = false;
#endif

// The canonical frame address (CFA) is the stack pointer as it was before the call that led into a
// function; the return address stands in the word below it. Offsets are told in words of 8 bytes.
enum class UnwindRule : uint8_t {
  kNone = 0,       // not known, or not to be told in a row
  kEnd = 1,        // no caller: the first function of a thread
  kStack = 2,      // CFA = stack pointer + cfa_words
  kFrame = 3,      // CFA = frame register + cfa_words
  kPlt = 4,        // CFA = stack pointer + 1 word; 2 words from byte cfa_words of each 16 on
  kRealigned = 5,  // CFA = the word stored at frame register + cfa_words
  kSignal = 6,     // the kernel has put a signal's frame on the stack: all registers are in it
};
inline constexpr uint8_t kUnwindRules = 7;

// Holds for the addresses from its own up to the next row's.
struct UnwindRow {
  uint32_t address = 0;  // less the table's base
  int16_t cfa_words = 0;
  // The place of the caller's stored frame register: counted from the CFA, 0 if it was not changed;
  // with kRealigned counted from the frame register.
  int8_t frame_words = 0;
  UnwindRule rule = UnwindRule::kNone;

  bool operator==(const UnwindRow&) const = default;
};
static_assert(sizeof(UnwindRow) == 8);

struct UnwindTable {
  uint64_t base = 0;            // as the file's symbols count addresses
  std::vector<UnwindRow> rows;  // by address, each another
};

struct UnwindLimits {
  uint64_t max_memory_bytes = 512 << 20;  // of the child that reads one file
  uint32_t max_cpu_seconds = 5;           // of that child
  uint32_t max_wall_seconds = 20;         // of that child
  uint32_t max_rows = 2 << 20;            // 16 MiB; code behind them has no rows
  ReadingAccount* account = nullptr;      // is told the child's CPU time
};

// Reads the table of an ELF file in a child process (jail.h), for any contents of the file. Empty
// if it has no table. `segments` are the file's, as ElfIdentity tells them.
UnwindTable ReadUnwindTable(int file, const std::vector<ModuleSegment>& segments,
                            const UnwindLimits& limits, SymbolCounters& counters);

// The same of a process's mapped file. Empty, too, if the file cannot be opened any more. A table
// that the cache holds is not read again.
UnwindTable ReadUnwindTable(const SymbolPaths& paths, const ProcessMaps& process,
                            const Mapping& mapping, const UnwindLimits& limits,
                            SymbolCounters& counters, DiskCache& cache);

// As the cache holds it; nothing if the bytes break the rules.
std::string PackUnwindTable(const UnwindTable& table);
std::optional<UnwindTable> UnpackUnwindTable(std::string_view bytes, uint32_t max_rows);

// Puts one message of a child to the rows that came before; false, and nothing taken, if it breaks
// the rules.
bool TakeUnwindRows(std::string_view message, uint32_t max_rows, std::vector<UnwindRow>& rows);

// The row that tells of this address, or null.
const UnwindRow* FindUnwindRow(const UnwindTable& table, uint64_t address);

}  // namespace gordian
