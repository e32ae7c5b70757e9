// SPDX-License-Identifier: Apache-2.0
// The programs that processes ran: what each began with, and its execs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"

namespace gordian {

class Lives;
struct TimedTask;

struct TaskRecord;
// What an exec, or a list of living threads, says. A file may hold any bytes, and any number of
// them.
Program ProgramOf(const TaskRecord& task, uint64_t start_ns);

// A row of programs for each process; its threads share it. Bounded by the number of task records.
class ProcessPrograms {
 public:
  ProcessPrograms() = default;  // of no threads
  // Of what rows() and row_of() gave.
  ProcessPrograms(std::vector<std::vector<Program>> rows, std::vector<uint32_t> row_of)
      : rows_(std::move(rows)), row_of_(std::move(row_of)) {}

  // `tasks` in order of time; the recording begins at start_ns.
  void Build(std::span<const TimedTask> tasks, const Lives& lives, uint64_t start_ns);
  // `thread` is one of the threads. In order of time; empty if nothing names its process.
  std::span<const Program> Of(EntityId thread) const;
  // In no order that matters; and by thread the number of its row.
  std::span<const std::vector<Program>> rows() const { return rows_; }
  std::span<const uint32_t> row_of() const { return row_of_; }

  // Adds another node's behind the own ones. `to_reference` maps its times.
  template <typename Clock>
  void Append(const ProcessPrograms& other, const Clock& to_reference) {
    const auto first_row = static_cast<uint32_t>(rows_.size());
    for (const std::vector<Program>& row : other.rows_) {
      rows_.push_back(row);
      for (Program& program : rows_.back()) program.start_ns = to_reference(program.start_ns);
    }
    for (const uint32_t row : other.row_of_) row_of_.push_back(first_row + row);
  }

 private:
  // A process that was born as another's child, and runs that one's program at first.
  struct Birth {
    uint32_t row = 0;
    uint32_t parent_row = 0;
    uint64_t time_ns = 0;
  };
  void Take(const TimedTask& entry, const Lives& lives, uint64_t start_ns,
            std::vector<Birth>& births);
  void Inherit(const Birth& birth);

  std::vector<std::vector<Program>> rows_;
  std::vector<uint32_t> row_of_;  // by thread, in rows_
};

}  // namespace gordian
