#include "symbols/unwind_table.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "symbols/jail.h"
#include "symbols/mapped_file.h"
#include "symbols/process_facts.h"
#include "symbols/symbol_counters.h"
#include "symbols/unwind_rows.h"

namespace gordian {
namespace {

constexpr size_t kRowsPerMessage = 32768;

uint64_t LowestAddress(const std::vector<ModuleSegment>& segments) {
  uint64_t lowest = segments.empty() ? 0 : UINT64_MAX;
  for (const ModuleSegment& segment : segments) lowest = std::min(lowest, segment.address);
  return lowest;
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

UnwindTable ReadUnwindTable(int file, const std::vector<ModuleSegment>& segments,
                            const UnwindLimits& limits, SymbolCounters& counters) {
  UnwindTable table{.base = LowestAddress(segments)};
  if (!kHasUnwindTables) return table;
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
  // Rows that came before the child broke off are as good as any; behind the last row nothing is
  // known.
  if (!whole) Count(counters, "unwind_tables_broken_off");
  if (table.rows.size() >= limits.max_rows) Count(counters, "unwind_tables_cut");
  return table;
}

UnwindTable ReadUnwindTable(const SymbolPaths& paths, const ProcessMaps& process,
                            const Mapping& mapping, const UnwindLimits& limits,
                            SymbolCounters& counters) {
  if (mapping.kind == MappingKind::kVdso) {
    const auto vdso = OwnVdso(mapping.build_id);
    return vdso ? ReadUnwindTable(vdso->get(), mapping.segments, limits, counters) : UnwindTable{};
  }
  const auto facts = FindProcess(paths, process.pid, process.start_time_ticks);
  if (mapping.kind != MappingKind::kFile || !facts) return {};
  const auto file = OpenMappedFile(facts->folder, mapping);
  return file ? ReadUnwindTable(file->handle.get(), mapping.segments, limits, counters)
              : UnwindTable{};
}

const UnwindRow* FindUnwindRow(const UnwindTable& table, uint64_t address) {
  if (address < table.base) return nullptr;
  const auto after =
      std::upper_bound(table.rows.begin(), table.rows.end(), address - table.base,
                       [](uint64_t wanted, const UnwindRow& row) { return wanted < row.address; });
  return after == table.rows.begin() ? nullptr : &*std::prev(after);
}

}  // namespace gordian
