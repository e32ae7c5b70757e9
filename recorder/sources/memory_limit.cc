// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/memory_limit.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "absl/strings/numbers.h"
#include "recorder/sources/cgroups.h"
#include "recorder/sources/file_text.h"

namespace gordian {
namespace {

// Nothing also for "max", which is no number.
std::optional<uint64_t> ReadNumber(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  uint64_t number = 0;
  if (!text || !absl::SimpleAtoi(*text, &number)) return std::nullopt;
  return number;
}

// Pages of files that no process uses: a recording's writes are charged to its cgroup and would
// fill it in time, and the kernel takes these pages back without being asked.
uint64_t ReclaimableBytes(const std::string& cgroup) {
  std::istringstream lines(ReadSmallFile(cgroup + "/memory.stat").value_or(""));
  uint64_t bytes = 0;
  std::string name;
  uint64_t value = 0;
  while (lines >> name >> value) {
    if (name == "inactive_file" || name == "active_file") bytes += value;
  }
  return bytes;
}

std::optional<MemoryLimit> LimitOf(const std::string& cgroup) {
  const std::optional<uint64_t> limit_bytes = ReadNumber(cgroup + "/memory.max");
  const std::optional<uint64_t> charged_bytes = ReadNumber(cgroup + "/memory.current");
  if (!limit_bytes || !charged_bytes) return std::nullopt;
  const uint64_t held_bytes = *charged_bytes - std::min(*charged_bytes, ReclaimableBytes(cgroup));
  return MemoryLimit{.limit_bytes = *limit_bytes,
                     .left_bytes = *limit_bytes - std::min(*limit_bytes, held_bytes)};
}

// The path of this process below the mount, by the line of version 2; empty without such a line.
std::string OwnCgroup(const SystemPaths& paths) {
  std::istringstream lines(ReadSmallFile(paths.proc + "/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("0::/", 0) == 0) return line.substr(3);
  }
  return "";
}

}  // namespace

std::optional<MemoryLimit> ReadMemoryLimit(const SystemPaths& paths) {
  const std::optional<std::string> mount = FindCgroup2Mount(paths);
  if (!mount) return std::nullopt;
  std::optional<MemoryLimit> tightest;
  // Every round takes the last part off the path: the root, which has no limit, ends it.
  for (std::string path = OwnCgroup(paths); path.size() > 1; path.erase(path.rfind('/'))) {
    const std::optional<MemoryLimit> limit = LimitOf(*mount + path);
    if (limit && (!tightest || limit->left_bytes < tightest->left_bytes)) tightest = limit;
  }
  return tightest;
}

}  // namespace gordian
