// SPDX-License-Identifier: Apache-2.0
#include "symbols/unwind_table.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "symbols/file_identity.h"
#include "symbols/jail.h"
#include "symbols/mapped_file.h"
#include "symbols/process_facts.h"
#include "symbols/symbol_counters.h"
#include "symbols/unwind_rows.h"

namespace gordian {
namespace {

constexpr size_t kRowsPerMessage = 32768;
// The number changes whenever the rows of the same file would.
constexpr int kCacheVersion = 1;

uint64_t LowestAddress(const std::vector<ModuleSegment>& segments) {
  uint64_t lowest = segments.empty() ? 0 : UINT64_MAX;
  for (const ModuleSegment& segment : segments) lowest = std::min(lowest, segment.address);
  return lowest;
}

// False if the child broke off. Rows that came before that are as good as any; behind the last row
// nothing is known.
bool ReadRows(int file, const UnwindLimits& limits, SymbolCounters& counters, UnwindTable& table) {
  const JailLimits jail_limits = {
      .max_memory_bytes = limits.max_memory_bytes,
      .max_cpu_seconds = limits.max_cpu_seconds,
      .max_wall_seconds = limits.max_wall_seconds,
      // Lengths of messages and the last, empty one.
      .max_reply_bytes = uint64_t{limits.max_rows} * (sizeof(UnwindRow) + sizeof(uint32_t)) + 64,
      .account = limits.account};
  const int files[] = {file};
  const bool whole = RunInJail(
      jail_limits, files,
      [&](const JailSend& send) {
        const std::vector<UnwindRow> rows = MakeUnwindRows(file, table.base, limits.max_rows);
        std::string_view rest(reinterpret_cast<const char*>(rows.data()),
                              rows.size() * sizeof(UnwindRow));
        while (!rest.empty() && send(rest.substr(0, kRowsPerMessage * sizeof(UnwindRow))))
          rest.remove_prefix(std::min(rest.size(), kRowsPerMessage * sizeof(UnwindRow)));
      },
      [&](std::string_view message) {
        return TakeUnwindRows(message, limits.max_rows, table.rows);
      });
  if (!whole) Count(counters, "unwind_tables_broken_off");
  if (table.rows.size() >= limits.max_rows) Count(counters, "unwind_tables_cut");
  return whole;
}

struct OpenedModule {
  std::shared_ptr<const FileHandle> file;  // null if it cannot be opened any more
  std::string identity;                    // empty: nothing about it is kept
};

// The kernel's own image needs no more than a build-id: it is this process's own copy that is read.
OpenedModule OpenModule(const SymbolPaths& paths, const ProcessMaps& process,
                        const Mapping& mapping) {
  if (mapping.kind == MappingKind::kVdso)
    return {OwnVdso(mapping.build_id),
            absl::StrCat("vdso ", absl::BytesToHexString(mapping.build_id))};
  const auto facts = FindProcess(paths, process.pid, process.start_time_ticks);
  if (mapping.kind != MappingKind::kFile || !facts) return {};
  auto file = OpenMappedFile(facts->folder, mapping);
  if (!file) return {};
  OpenedModule module;
  module.identity = FileIdentity(file->handle.get(), paths.proc);
  module.file = std::make_shared<const FileHandle>(std::move(file->handle));
  return module;
}

}  // namespace

bool TakeUnwindRows(std::string_view message, uint32_t max_rows, std::vector<UnwindRow>& rows) {
  const size_t count = message.size() / sizeof(UnwindRow);
  if (message.size() % sizeof(UnwindRow) != 0 || count > max_rows ||
      rows.size() > max_rows - count) {
    return false;
  }
  std::vector<UnwindRow> taken(count);
  if (count > 0) std::memcpy(taken.data(), message.data(), message.size());
  const UnwindRow* before = rows.empty() ? nullptr : &rows.back();
  for (const UnwindRow& row : taken) {
    if (before != nullptr && row.address <= before->address) return false;
    if (static_cast<uint8_t>(row.rule) >= kUnwindRules) return false;
    before = &row;
  }
  rows.insert(rows.end(), taken.begin(), taken.end());
  return true;
}

std::string PackUnwindTable(const UnwindTable& table) {
  std::string bytes(reinterpret_cast<const char*>(&table.base), sizeof(table.base));
  bytes.append(reinterpret_cast<const char*>(table.rows.data()),
               table.rows.size() * sizeof(UnwindRow));
  return bytes;
}

std::optional<UnwindTable> UnpackUnwindTable(std::string_view bytes, uint32_t max_rows) {
  UnwindTable table;
  if (bytes.size() < sizeof(table.base)) return {};
  std::memcpy(&table.base, bytes.data(), sizeof(table.base));
  bytes.remove_prefix(sizeof(table.base));
  if (!TakeUnwindRows(bytes, max_rows, table.rows)) return {};
  return table;
}

UnwindTable ReadUnwindTable(int file, const std::vector<ModuleSegment>& segments,
                            const UnwindLimits& limits, SymbolCounters& counters) {
  UnwindTable table{.base = LowestAddress(segments)};
  if (kHasUnwindTables) ReadRows(file, limits, counters, table);
  return table;
}

UnwindTable ReadUnwindTable(const SymbolPaths& paths, const ProcessMaps& process,
                            const Mapping& mapping, const UnwindLimits& limits,
                            SymbolCounters& counters, DiskCache& cache) {
  const OpenedModule module = OpenModule(paths, process, mapping);
  UnwindTable table{.base = LowestAddress(mapping.segments)};
  if (module.file == nullptr || !kHasUnwindTables) return table;
  const std::string key = absl::StrCat("unwind ", kCacheVersion, " ", module.identity);
  const bool may_be_kept = !module.identity.empty();
  if (const auto kept = may_be_kept ? cache.Load(key) : std::nullopt) {
    std::optional<UnwindTable> known = UnpackUnwindTable(*kept, limits.max_rows);
    if (known && known->base == table.base) return *std::move(known);
  }
  const bool whole = ReadRows(module.file->get(), limits, counters, table);
  // Not of a file that was written to meanwhile.
  if (whole && may_be_kept && OpenModule(paths, process, mapping).identity == module.identity)
    cache.Store(key, PackUnwindTable(table));
  return table;
}

const UnwindRow* FindUnwindRow(const UnwindTable& table, uint64_t address) {
  if (address < table.base) return nullptr;
  const auto after =
      std::upper_bound(table.rows.begin(), table.rows.end(), address - table.base,
                       [](uint64_t wanted, const UnwindRow& row) { return wanted < row.address; });
  return after == table.rows.begin() ? nullptr : &*std::prev(after);
}

}  // namespace gordian
