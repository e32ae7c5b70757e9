// SPDX-License-Identifier: Apache-2.0
// The names of the code in a recording's stacks: the facts for them are gathered while it runs, the
// names are looked for at its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "recorder/stacks/function_reader.h"
#include "recorder/stacks/process_images.h"
#include "schema/symbols.pb.h"
#include "trace/event_block.h"

namespace gordian {

class StackNames {
 public:
  explicit StackNames(const SymbolPaths& paths = {}) : paths_(paths), images_(paths) {}

  // Takes the stacks that the block defines from that event on, and notes processes that replaced
  // their program.
  void Learn(const EventBlock& block, size_t first_event = 0);
  // Looks at the processes of new stacks, a few at a time, and has the symbol tables of their code
  // read ahead. To be called often: a process that has ended tells nothing any more.
  void LookAtProcesses(uint64_t now_ns);

  // The mappings of the processes, no names yet: worth writing before the long search begins.
  pb::Symbols Images() const;
  // Looks for the names of all learnt stacks: takes from milliseconds to some ten seconds. The
  // kernel's own are those of the kernel that runs here and now. Soon after `stop` (unless null)
  // becomes true it returns with the names that it has found.
  pb::Symbols Name(const std::atomic<bool>* stop = nullptr);

  // From an earlier session: its images, as Images gave them.
  void Restore(const pb::Symbols& symbols);

  // For a session that another kernel recorded.
  void LeaveKernelUnnamed() { name_kernel_ = false; }

  // Stacks that came when the memory for them was used up.
  uint64_t stacks_left_out() const { return stacks_left_out_; }
  // The CPU time that helpers took so far: a thread that reads ahead, and the processes that read
  // symbols. The caller's own time is not in it. Any thread may ask.
  int64_t cpu_ns() const { return account_.spent_ns(); }
  uint64_t processes_gone() const { return images_.processes_gone(); }

 private:
  struct Definition {
    ImageId image;
    std::vector<uint64_t> kernel, user;
    bool exact = false;  // an address in no known code is code all the same
    // Where Name found its code; null for nowhere. Found once: a stack that has been cut short
    // might seem to lie in another image of its process.
    const ProcessMaps* maps = nullptr;
  };

  void ReadAhead(uint64_t now_ns);

  const SymbolPaths paths_;
  ReadingAccount account_{ReadingPace::OfThisProcess(), true};
  ProcessImages images_;
  std::map<uint32_t, Definition> stacks_;
  uint64_t frames_ = 0;
  bool name_kernel_ = true;
  uint64_t stacks_left_out_ = 0;
  std::deque<std::pair<uint64_t, uint32_t>> new_stacks_;  // when they came, and their numbers
  std::unique_ptr<FunctionReader> reader_;                // of code in stacks, if there is any
};

}  // namespace gordian
