// SPDX-License-Identifier: Apache-2.0
// JobProcesses, the programs that they run one after the other, and which process began which.
// Inner to the library.
//
// A command is one program in one process: from its exec (or its birth, with the program of its
// parent) to the next exec, or the process' end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

using ProcessId = uint32_t;
using CommandId = uint32_t;
using ProgramId = uint32_t;
inline constexpr uint32_t kNoProcess = 0xffffffff;

struct PathProcess {
  EntityId leader = kNobody;      // its first thread, or the only one that is known
  ProcessId parent = kNoProcess;  // no circles
  uint64_t begin_ns = 0;          // as far as the recording saw it
  uint64_t end_ns = 0;
  uint64_t exit_ns = 0;  // from then on its parent may go on
  bool born = false;     // within the recording …
  bool ended = false;
  bool is_kernel = false;
  // Until then it is the recorder: the recorder itself for ever, and its children until they exec.
  uint64_t recorder_until_ns = 0;
  CommandId first_command = 0;
  uint32_t commands = 0;
};

struct PathCommand {
  ProcessId process = kNoProcess;
  ProgramId program = 0;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

class JobProcesses {
 public:
  explicit JobProcesses(const Timeline& timeline);

  const std::vector<PathProcess>& all() const { return processes_; }
  const PathProcess& process(ProcessId id) const { return processes_[id]; }
  ProcessId Of(EntityId thread) const { return process_of_[thread]; }

  const std::vector<PathCommand>& commands() const { return commands_; }
  // The command just before that time: walks go back.
  CommandId CommandBefore(ProcessId process, uint64_t time_ns) const;
  // The last program, for which a process was made.
  ProgramId ProgramOf(ProcessId process) const;
  const std::vector<std::string>& programs() const { return programs_; }

  // Just before that time.
  bool IsRecorder(ProcessId process, uint64_t time_ns) const {
    return time_ns <= processes_[process].recorder_until_ns &&
           processes_[process].recorder_until_ns != 0;
  }
  // Itself belongs to it.
  bool DescendsFrom(ProcessId process, ProcessId ancestor) const;
  // kNoProcess if they have none, or one is kNoProcess.
  ProcessId CommonAncestor(ProcessId a, ProcessId b) const;
  // Parents before children.
  std::span<const ProcessId> parents_first() const { return parents_first_; }

 private:
  EntityId FindThread(uint32_t node, int32_t tid, uint64_t time_ns) const;
  void GroupThreads();
  void FindParents();
  void FindCommands();
  ProgramId Intern(const std::string& name);

  const Timeline& timeline_;
  // The threads of a tid, which have ids in a row: the first of them.
  absl::flat_hash_map<uint64_t, EntityId> first_of_tid_;
  std::vector<ProcessId> process_of_;  // by thread
  std::vector<PathProcess> processes_;
  std::vector<uint32_t> depth_;
  std::vector<ProcessId> parents_first_;
  std::vector<PathCommand> commands_;
  std::vector<std::string> programs_;
  absl::flat_hash_map<std::string, ProgramId> program_ids_;
};

}  // namespace gordian
