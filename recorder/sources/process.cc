// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/process.h"

#include <dirent.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

std::string ProcessPath(const SystemPaths& paths, int32_t pid, const char* file) {
  return paths.proc + "/" + std::to_string(pid) + "/" + file;
}

// "pid (comm) state parent … start_time …": comm may itself hold blanks and parentheses, but
// nothing after it does.
std::optional<ProcessStat> ParseStat(std::string_view text) {
  constexpr int kFieldsBetweenParentAndStart = 17;
  constexpr size_t kMostCommBytes = 64;  // kernel threads' names may be longer than 15 here
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcessStat stat;
  std::string_view before = text.substr(0, open);
  const std::optional<int32_t> pid = ParseNumber<int32_t>(TakeField(before));
  stat.comm = text.substr(open + 1, close - open - 1).substr(0, kMostCommBytes);
  text.remove_prefix(close + 1);
  const std::string_view state = TakeField(text);
  const std::optional<int32_t> parent = ParseNumber<int32_t>(TakeField(text));
  for (int field = 0; field < kFieldsBetweenParentAndStart; ++field) TakeField(text);
  const std::optional<uint64_t> start = TakeNumber(text);
  if (!pid || state.size() != 1 || !parent || !start) return {};
  stat.pid = *pid;
  stat.state = state[0];
  stat.parent_pid = *parent;
  stat.start_time_ticks = *start;
  return stat;
}

}  // namespace

uint64_t ClockTickNs() { return 1'000'000'000 / sysconf(_SC_CLK_TCK); }

uint64_t StartTimeNs(const ProcessStat& process) {
  return process.start_time_ticks * ClockTickNs();
}

absl::StatusOr<ProcessStat> ReadProcessStat(const SystemPaths& paths, int32_t pid) {
  if (pid <= 0) return absl::NotFoundError(absl::StrCat("no process has the pid ", pid));
  const std::optional<std::string> text = ReadSmallFile(ProcessPath(paths, pid, "stat"));
  if (!text) return absl::NotFoundError(absl::StrCat("there is no process ", pid));
  std::optional<ProcessStat> stat = ParseStat(*text);
  if (!stat || stat->pid != pid) {
    return absl::NotFoundError(absl::StrCat(ProcessPath(paths, pid, "stat"), " is not readable"));
  }
  return *std::move(stat);
}

bool ProcessExists(const SystemPaths& paths, int32_t pid) {
  return ReadProcessStat(paths, pid).ok();
}

std::vector<std::string> ReadCommandLine(const SystemPaths& paths, int32_t pid, size_t max_bytes) {
  const std::optional<std::string> text =
      ReadSmallFile(ProcessPath(paths, pid, "cmdline"), max_bytes);
  std::vector<std::string> arguments;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const size_t end = rest.find('\0');
    arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return arguments;
}

std::vector<ProcessStat> ReadAllProcesses(const SystemPaths& paths) {
  std::vector<ProcessStat> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(paths.proc.c_str()), closedir);
  if (!directory) return processes;
  while (const dirent* entry = readdir(directory.get())) {
    const std::optional<int32_t> pid = ParseNumber<int32_t>(entry->d_name);
    if (!pid) continue;
    absl::StatusOr<ProcessStat> stat = ReadProcessStat(paths, *pid);
    if (stat.ok()) processes.push_back(*std::move(stat));
  }
  return processes;
}

// Breadth first from `pid` over the children of each. A process is taken out of the table when it
// is visited, so parents that form a circle (pids reused between two reads) cannot keep this going.
std::vector<int32_t> ReadDescendants(const SystemPaths& paths, int32_t pid) {
  std::unordered_map<int32_t, std::vector<int32_t>> children;
  for (const ProcessStat& process : ReadAllProcesses(paths)) {
    children[process.parent_pid].push_back(process.pid);
  }
  std::vector<int32_t> descendants;
  int32_t parent = pid;
  for (size_t next = 0;; ++next) {
    const auto found = children.find(parent);
    if (found != children.end()) {
      for (const int32_t child : found->second) {
        if (child != pid) descendants.push_back(child);
      }
      children.erase(found);
    }
    if (next == descendants.size()) return descendants;
    parent = descendants[next];
  }
}

}  // namespace gordian
