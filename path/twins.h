// SPDX-License-Identifier: Apache-2.0
// Stragglers' marks: commands with others of their kind beside them. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "path/job.h"

namespace gordian {

class TwinCommands {
 public:
  TwinCommands(const JobProcesses& processes, const PathJob& job);

  // A command of the job of the same program that lived at the same time, in a process that is
  // neither its ancestor nor its descendant; kNoProcess if there is none.
  CommandId TwinOf(CommandId command) const { return twin_of_[command]; }
  // Whether another command of its program began in the job after it had ended.
  bool HasSuccessor(CommandId command) const;

 private:
  bool AreRelated(CommandId a, CommandId b) const;
  uint64_t EndOf(CommandId command) const;

  const JobProcesses& processes_;
  const PathJob& job_;
  std::vector<CommandId> twin_of_;
};

}  // namespace gordian
