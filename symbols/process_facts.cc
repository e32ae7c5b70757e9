// SPDX-License-Identifier: Apache-2.0
#include "symbols/process_facts.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "symbols/file_tree.h"
#include "symbols/text_scan.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxFileBytes = 64 << 10;

std::string ReadSmall(const std::string& path) {
  const std::optional<RegularFile> file = OpenRegularFile(path);
  bool cut = false;
  return file ? ReadText(file->handle.get(), kMaxFileBytes, cut) : std::string();
}

// Field 22; the second is the name in brackets, which may hold spaces and brackets itself.
std::optional<uint64_t> StartTime(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(name_end + 1);
  for (int field = 3; field <= 22; ++field) {
    SkipSpaces(stat);
    if (field == 22) break;
    stat.remove_prefix(std::min(stat.find(' '), stat.size()));
  }
  uint64_t ticks = 0;
  if (!TakeNumber(stat, 10, ticks)) return {};
  return ticks;
}

// The number in that column (from 0; -1: the last) of the line that begins with `key`.
std::optional<uint64_t> StatusField(std::string_view status, std::string_view key, int column) {
  while (!status.empty()) {
    std::string_view line = TakeLine(status);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    std::optional<uint64_t> found;
    for (int at = 0; column < 0 || at <= column; ++at) {
      uint64_t value = 0;
      SkipSpaces(line);
      if (!TakeNumber(line, 10, value)) break;
      if (column < 0 || at == column) found = value;
    }
    return found;
  }
  return {};
}

}  // namespace

std::optional<ProcessFacts> FindProcess(const SymbolPaths& paths, int pid,
                                        uint64_t start_time_ticks) {
  ProcessFacts facts;
  facts.folder = absl::StrCat(paths.proc, "/", pid);
  const std::optional<uint64_t> ticks = StartTime(ReadSmall(facts.folder + "/stat"));
  if (!ticks || (start_time_ticks != 0 && *ticks != start_time_ticks)) return {};
  facts.start_time_ticks = *ticks;
  const std::string status = ReadSmall(facts.folder + "/status");
  const std::optional<uint64_t> inner = StatusField(status, "NSpid:", -1);
  facts.pid_in_namespace = inner && *inner <= INT32_MAX ? static_cast<int>(*inner) : pid;
  const std::optional<uint64_t> user = StatusField(status, "Uid:", 1);
  if (user && *user <= UINT32_MAX) facts.effective_user = static_cast<uint32_t>(*user);
  return facts;
}

}  // namespace gordian
