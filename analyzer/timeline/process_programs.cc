// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/process_programs.h"

#include <algorithm>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lives.h"
#include "words/command_line.h"

namespace gordian {

Program ProgramOf(const TaskRecord& task, uint64_t start_ns) {
  return {.start_ns = start_ns,
          .name = task.comm,
          .command = BoundedText(task.command),
          .directory = DirectoryText(task.directory)};
}

// One pass in order of time makes the rows. What children inherit is filled in behind it: a list of
// living threads may tell of a parent after its child was born. Births are in order of time, so a
// parent's row is complete when its children look.
void ProcessPrograms::Build(std::span<const TimedTask> tasks, const Lives& lives,
                            uint64_t start_ns) {
  const size_t threads = lives.lives().size();
  rows_.assign(threads + 1, {});  // by the process's first thread; the last stays empty
  row_of_.clear();
  for (const Life& life : lives.lives()) {
    const EntityId leader =
        life.identity.tgid == 0 ? kNobody : lives.Find(life.identity.tgid, life.begin_ns);
    row_of_.push_back(leader == kNobody ? static_cast<uint32_t>(threads) : leader);
  }
  std::vector<Birth> births;
  for (const TimedTask& entry : tasks) Take(entry, lives, start_ns, births);
  for (const Birth& birth : births) Inherit(birth);
}

void ProcessPrograms::Take(const TimedTask& entry, const Lives& lives, uint64_t start_ns,
                           std::vector<Birth>& births) {
  const TaskRecord& task = entry.task;
  if (task.tid == 0 || task.tid != task.tgid) return;
  const EntityId process = lives.Find(task.tid, entry.time_ns);
  if (process == kNobody || row_of_[process] + 1 == rows_.size()) return;
  std::vector<Program>& row = rows_[row_of_[process]];
  switch (task.change) {
    case TaskChange::kAlive:
      if (row.empty())
        row.push_back(ProgramOf(task, std::max(start_ns, lives.lives()[process].begin_ns)));
      else if (row.back().command.empty() && !task.command.empty())
        row.back() = ProgramOf(task, row.back().start_ns);
      return;
    case TaskChange::kNew: {
      if (!row.empty()) return;
      row.push_back(ProgramOf(task, entry.time_ns));
      const EntityId creator = lives.Find(task.parent_tid, entry.time_ns);
      if (creator != kNobody) births.push_back({row_of_[process], row_of_[creator], entry.time_ns});
      return;
    }
    case TaskChange::kExec:
      if (row.empty())  // what it ran before was not told
        row.push_back({.start_ns = std::max(start_ns, lives.lives()[process].begin_ns)});
      row.push_back(ProgramOf(task, entry.time_ns));
      return;
    case TaskChange::kRename:  // the kernel renames just before an exec: no name of the program
    case TaskChange::kExit:
      return;
  }
}

void ProcessPrograms::Inherit(const Birth& birth) {
  const std::vector<Program>& parent = rows_[birth.parent_row];
  Program& first = rows_[birth.row].front();
  if (birth.parent_row == birth.row || parent.empty() || !first.command.empty()) return;
  const auto after = std::upper_bound(
      parent.begin() + 1, parent.end(), birth.time_ns,
      [](uint64_t time_ns, const Program& program) { return time_ns < program.start_ns; });
  first.command = (after - 1)->command;
  first.directory = (after - 1)->directory;
}

std::span<const Program> ProcessPrograms::Of(EntityId thread) const {
  return rows_[row_of_[thread]];
}

}  // namespace gordian
