#include "analyzer/timeline/process_programs.h"

#include <algorithm>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lives.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// A file may hold any bytes, and any number of them.
Program ProgramOf(const TaskRecord& task, uint64_t start_ns) {
  return {.start_ns = start_ns,
          .name = task.comm,
          .command = BoundedText(task.command),
          .directory = DirectoryText(task.directory)};
}

EntityId LeaderOf(const Life& life, const Lives& lives) {
  return life.identity.tgid == 0 ? kNobody : lives.Find(life.identity.tgid, life.begin_ns);
}

}  // namespace

// One pass in order of time makes the rows. What children inherit is filled in behind it: a list of
// living threads may tell of a parent after its child was born. Births are in order of time, so a
// parent's row is complete when its children look.
void ProcessPrograms::Build(std::span<const TimedTask> tasks, const Lives& lives,
                            uint64_t start_ns) {
  const size_t threads = lives.lives().size();
  rows_.clear();
  row_of_.assign(threads, 0);
  for (size_t thread = 0; thread < threads; ++thread) {
    const EntityId leader = LeaderOf(lives.lives()[thread], lives);
    if (leader == thread) {
      row_of_[thread] = static_cast<uint32_t>(rows_.size());
      rows_.emplace_back();
    }
  }
  const auto none = static_cast<uint32_t>(rows_.size());
  rows_.emplace_back();
  for (size_t thread = 0; thread < threads; ++thread) {
    const EntityId leader = LeaderOf(lives.lives()[thread], lives);
    if (leader == thread) continue;
    const bool has_row = leader != kNobody && LeaderOf(lives.lives()[leader], lives) == leader;
    row_of_[thread] = has_row ? row_of_[leader] : none;
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
  if (process == kNobody) return;
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
