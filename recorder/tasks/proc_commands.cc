// SPDX-License-Identifier: Apache-2.0
#include "recorder/tasks/proc_commands.h"

#include <limits.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

#include "recorder/sources/clock.h"
#include "recorder/sources/file_text.h"
#include "words/command_line.h"

namespace gordian {
namespace {

void ReadCommand(const std::string& folder, TaskRecord& task) {
  // A byte more than is kept tells whether it is all.
  const std::optional<std::string> text = ReadSmallFile(folder + "/cmdline", kMaxCommandBytes + 1);
  if (text) {
    const std::string_view kept = std::string_view(*text).substr(0, kMaxCommandBytes);
    task.command = CommandLineText(kept, text->size() > kMaxCommandBytes);
  }
  char directory[PATH_MAX];
  const ssize_t length = readlink((folder + "/cwd").c_str(), directory, sizeof(directory));
  if (length > 0)
    task.directory = DirectoryText(std::string_view(directory, static_cast<size_t>(length)));
}

}  // namespace

uint64_t ReadCommands(const SystemPaths& paths, uint64_t most_ns, std::vector<TaskRecord>& tasks) {
  const uint64_t begin_ns = MonotonicNowNs();
  uint64_t left_out = 0;
  for (TaskRecord& task : tasks) {
    if (task.tid != task.tgid || task.kernel_thread) continue;
    if (MonotonicNowNs() - begin_ns >= most_ns) {
      ++left_out;
      continue;
    }
    ReadCommand(paths.proc + "/" + std::to_string(task.tid), task);
  }
  return left_out;
}

}  // namespace gordian
