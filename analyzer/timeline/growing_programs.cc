// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/growing_programs.h"

#include <algorithm>
#include <utility>

#include "analyzer/timeline/process_programs.h"

namespace gordian {

void GrowingPrograms::Take(const TimedTask& entry, EntityId process, uint64_t begin_ns,
                           EntityId parent) {
  const TaskRecord& task = entry.task;
  std::vector<Program>& row = rows_[process];
  switch (task.change) {
    case TaskChange::kAlive:
      if (row.empty()) {
        row.push_back(ProgramOf(task, begin_ns));
      } else if (row.back().command.empty() && !task.command.empty()) {
        row.back() = ProgramOf(task, row.back().start_ns);
      }
      break;
    case TaskChange::kNew:
      if (!row.empty()) return;
      row.push_back(ProgramOf(task, entry.time_ns));
      if (parent != kNobody && parent != process)
        Inherit(parent, {.process = process, .time_ns = entry.time_ns});
      break;
    case TaskChange::kExec:
      if (row.empty()) row.push_back({.start_ns = begin_ns});  // what it ran before was not told
      rows_[process].push_back(ProgramOf(task, entry.time_ns));
      break;
    case TaskChange::kRename:  // the kernel renames just before an exec: no name of the program
    case TaskChange::kExit:
      return;
  }
  TellHeirs(process);
}

// A list of living threads may tell of a parent after its child was born.
void GrowingPrograms::Inherit(EntityId parent, const Heir& heir) {
  const std::span<const Program> programs = Of(parent);
  if (programs.empty() || programs.back().command.empty()) {
    heirs_[parent].push_back(heir);
    return;
  }
  Program& first = rows_[heir.process].front();
  if (!first.command.empty()) return;
  const auto after = std::upper_bound(
      programs.begin() + 1, programs.end(), heir.time_ns,
      [](uint64_t time_ns, const Program& program) { return time_ns < program.start_ns; });
  first.command = (after - 1)->command;
  first.directory = (after - 1)->directory;
  TellHeirs(heir.process);
}

// It ends, as a process is told of by its parent only once.
void GrowingPrograms::TellHeirs(EntityId parent) {
  const auto found = heirs_.find(parent);
  if (found == heirs_.end() || rows_[parent].back().command.empty()) return;
  const std::vector<Heir> heirs = std::exchange(found->second, {});
  heirs_.erase(found);
  for (const Heir& heir : heirs) Inherit(parent, heir);
}

std::span<const Program> GrowingPrograms::Of(EntityId process) const {
  const auto found = rows_.find(process);
  return found == rows_.end() ? std::span<const Program>() : found->second;
}

}  // namespace gordian
