// SPDX-License-Identifier: Apache-2.0
#include "path/processes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace gordian {
namespace {

constexpr uint64_t kForEver = std::numeric_limits<uint64_t>::max();

}  // namespace

JobProcesses::JobProcesses(const Timeline& timeline) : timeline_(timeline) {
  GroupThreads();
  FindParents();
  FindCommands();
}

EntityId JobProcesses::FindThread(uint32_t node, int32_t tid, uint64_t time_ns) const {
  const auto found = first_of_tid_.find(NumberOnNode(node, tid));
  if (tid == 0 || found == first_of_tid_.end()) return kNobody;
  const std::vector<Entity>& entities = timeline_.entities();
  EntityId thread = found->second;
  for (EntityId next = thread + 1; next < timeline_.thread_count(); ++next) {
    const Entity& entity = entities[next];
    if (entity.tid != tid || entity.node != node || entity.begin_ns > time_ns) break;
    thread = next;
  }
  return thread;
}

void JobProcesses::GroupThreads() {
  const std::vector<Entity>& entities = timeline_.entities();
  const EntityId threads = timeline_.thread_count();
  for (EntityId id = 0; id < threads; ++id)
    first_of_tid_.try_emplace(NumberOnNode(entities[id].node, entities[id].tid), id);
  std::vector<ProcessId> led_by(threads, kNoProcess);
  for (EntityId id = 0; id < threads; ++id) {
    const Entity& entity = entities[id];
    EntityId leader = FindThread(entity.node, entity.tgid, entity.begin_ns);
    if (leader == kNobody) leader = id;
    if (led_by[leader] == kNoProcess) {
      led_by[leader] = static_cast<ProcessId>(processes_.size());
      const Entity& first = entities[leader];
      processes_.push_back({.leader = leader,
                            .begin_ns = first.begin_ns,
                            .end_ns = first.end_ns,
                            .exit_ns = timeline_.exit_ns(leader),
                            .born = timeline_.creator(leader) != kNobody,
                            .ended = timeline_.ended(leader),
                            .is_kernel = first.kernel_thread});
    }
    PathProcess& process = processes_[led_by[leader]];
    process.end_ns = std::max(process.end_ns, entity.end_ns);
    process_of_.push_back(led_by[leader]);
  }
}

// Whatever the files say: a parent that would close a circle is none.
void JobProcesses::FindParents() {
  const std::vector<Entity>& entities = timeline_.entities();
  for (PathProcess& process : processes_) {
    const Entity& leader = entities[process.leader];
    const EntityId creator = timeline_.creator(process.leader);
    const EntityId parent =
        creator != kNobody ? creator : FindThread(leader.node, leader.parent_tid, leader.begin_ns);
    if (parent != kNobody) process.parent = process_of_[parent];
  }
  enum : uint8_t { kUnseen, kOpen, kDone };
  std::vector<uint8_t> state(processes_.size(), kUnseen);
  depth_.assign(processes_.size(), 0);
  std::vector<ProcessId> chain;
  for (ProcessId id = 0; id < processes_.size(); ++id) {
    ProcessId at = id;
    for (; at != kNoProcess && state[at] == kUnseen; at = processes_[at].parent) {
      state[at] = kOpen;
      chain.push_back(at);
    }
    if (at != kNoProcess && state[at] == kOpen) processes_[chain.back()].parent = kNoProcess;
    for (; !chain.empty(); chain.pop_back()) {
      const ProcessId parent = processes_[chain.back()].parent;
      depth_[chain.back()] = parent == kNoProcess ? 0 : depth_[parent] + 1;
      state[chain.back()] = kDone;
    }
  }
  parents_first_.resize(processes_.size());
  std::iota(parents_first_.begin(), parents_first_.end(), 0u);
  std::stable_sort(parents_first_.begin(), parents_first_.end(),
                   [this](ProcessId a, ProcessId b) { return depth_[a] < depth_[b]; });
}

ProgramId JobProcesses::Intern(const std::string& name) {
  const auto [place, is_new] =
      program_ids_.try_emplace(name, static_cast<ProgramId>(programs_.size()));
  if (is_new) programs_.push_back(name);
  return place->second;
}

void JobProcesses::FindCommands() {
  const std::vector<Entity>& entities = timeline_.entities();
  for (const ProcessId id : parents_first_) {
    PathProcess& process = processes_[id];
    const Entity& leader = entities[process.leader];
    // The first is the one it began with; every other one is an exec.
    const std::span<const Program> programs = timeline_.programs(process.leader);
    const std::span<const Program> execs = programs.subspan(std::min<size_t>(1, programs.size()));
    const bool has_parent = process.parent != kNoProcess;
    const bool is_of_recorder = has_parent && IsRecorder(process.parent, process.begin_ns);
    if (leader.recorder) {
      process.recorder_until_ns = kForEver;
    } else if (is_of_recorder) {
      process.recorder_until_ns = execs.empty() ? kForEver : execs.front().start_ns;
    }
    ProgramId program = 0;
    if (has_parent && process.born) {
      program = commands_[CommandBefore(process.parent, process.begin_ns)].program;
    } else if (!execs.empty() && !programs.front().name.empty()) {
      program = Intern(programs.front().name);
    } else {
      program = Intern(leader.process_name);
    }
    process.first_command = static_cast<CommandId>(commands_.size());
    commands_.push_back({id, program, process.begin_ns, process.end_ns});
    for (const Program& exec : execs) {
      const uint64_t at_ns = std::clamp(exec.start_ns, commands_.back().from_ns, process.end_ns);
      commands_.back().to_ns = at_ns;
      commands_.push_back({id, Intern(exec.name), at_ns, process.end_ns});
    }
    process.commands = static_cast<uint32_t>(commands_.size() - process.first_command);
  }
}

CommandId JobProcesses::CommandBefore(ProcessId process, uint64_t time_ns) const {
  const auto first = commands_.begin() + processes_[process].first_command;
  const auto end = first + processes_[process].commands;
  const auto after = std::lower_bound(
      first + 1, end, time_ns,
      [](const PathCommand& command, uint64_t time) { return command.from_ns < time; });
  return static_cast<CommandId>(after - commands_.begin()) - 1;
}

ProgramId JobProcesses::ProgramOf(ProcessId process) const {
  const PathProcess& it = processes_[process];
  return commands_[it.first_command + it.commands - 1].program;
}

bool JobProcesses::DescendsFrom(ProcessId process, ProcessId ancestor) const {
  while (process != kNoProcess && depth_[process] > depth_[ancestor])
    process = processes_[process].parent;
  return process == ancestor;
}

ProcessId JobProcesses::CommonAncestor(ProcessId a, ProcessId b) const {
  if (a == kNoProcess || b == kNoProcess) return kNoProcess;
  while (a != b) {
    ProcessId& deeper = depth_[a] >= depth_[b] ? a : b;
    deeper = processes_[deeper].parent;
    if (deeper == kNoProcess) return kNoProcess;
  }
  return a;
}

}  // namespace gordian
