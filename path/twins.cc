// SPDX-License-Identifier: Apache-2.0
#include "path/twins.h"

#include <algorithm>
#include <tuple>

namespace gordian {

// The commands of a program in order of their beginnings, with those that still live. A new one has
// a twin if any of these is not related to it. It becomes the twin of all that had none; those are
// then found, and only its few ancestors stay without. So the work is small for each command, but
// for the search among the living for one that is not related.
TwinCommands::TwinCommands(const JobProcesses& processes, const PathJob& job)
    : processes_(processes), job_(job) {
  const std::vector<PathCommand>& commands = processes.commands();
  twin_of_.assign(commands.size(), kNoProcess);
  std::vector<CommandId> order;
  for (CommandId id = 0; id < commands.size(); ++id) {
    if (job.members[commands[id].process] != 0) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&commands](CommandId a, CommandId b) {
    return std::tie(commands[a].program, commands[a].from_ns, a) <
           std::tie(commands[b].program, commands[b].from_ns, b);
  });
  std::vector<CommandId> living;
  std::vector<CommandId> without;  // of the living
  for (size_t i = 0; i < order.size(); ++i) {
    const CommandId id = order[i];
    const uint64_t now_ns = commands[id].from_ns;
    if (i > 0 && commands[order[i - 1]].program != commands[id].program) {
      living.clear();
      without.clear();
    }
    const auto is_over = [&](CommandId other) { return EndOf(other) <= now_ns; };
    std::erase_if(living, is_over);
    std::erase_if(without, is_over);
    const auto is_apart = [&](CommandId other) { return !AreRelated(other, id); };
    const auto twin = std::find_if(living.begin(), living.end(), is_apart);
    if (twin != living.end()) twin_of_[id] = *twin;
    std::erase_if(without, [&](CommandId other) {
      if (!is_apart(other)) return false;
      twin_of_[other] = id;
      return true;
    });
    living.push_back(id);
    if (twin_of_[id] == kNoProcess) without.push_back(id);
  }
}

bool TwinCommands::AreRelated(CommandId a, CommandId b) const {
  const ProcessId one = processes_.commands()[a].process;
  const ProcessId other = processes_.commands()[b].process;
  return processes_.DescendsFrom(one, other) || processes_.DescendsFrom(other, one);
}

// Its parent goes on from its exit, before its last switch.
uint64_t TwinCommands::EndOf(CommandId command) const {
  const PathCommand& it = processes_.commands()[command];
  return std::min(it.to_ns, processes_.process(it.process).exit_ns);
}

bool TwinCommands::HasSuccessor(CommandId command) const {
  const std::vector<PathCommand>& commands = processes_.commands();
  for (CommandId id = 0; id < commands.size(); ++id) {
    if (job_.members[commands[id].process] != 0 &&
        commands[id].program == commands[command].program &&
        commands[id].from_ns >= EndOf(command) && !AreRelated(id, command))
      return true;
  }
  return false;
}

}  // namespace gordian
