// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/stack_names.h"

#include <algorithm>
#include <set>
#include <span>

#include "recorder/sources/clock.h"
#include "symbols/symbol_writer.h"

namespace gordian {
namespace {

constexpr size_t kLooksAtOnce = 10;  // 3 ms
constexpr size_t kStacksAtOnce = 50;
constexpr uint64_t kReadAheadAfterNs = 500'000'000;
constexpr uint64_t kMostFrames = 2'000'000;  // 16 MiB
// Of each child that reads a symbol file: a user waits for the recording to end.
constexpr uint64_t kChildMemoryBytes = uint64_t{1} << 30;
constexpr uint32_t kChildSeconds = 10;

// The code of frame `i`: of the call, where the address is a return address, which stands behind it
// and maybe in the next function. Where the thread itself was (the innermost) is told exactly.
uint64_t CodeAddress(const std::vector<uint64_t>& frames, size_t i) {
  return i == 0 ? frames[i] : frames[i] - (frames[i] > 0);
}

void Want(const std::vector<uint64_t>& frames, std::set<uint64_t>& wanted) {
  for (size_t i = 0; i < frames.size(); ++i) wanted.insert(CodeAddress(frames, i));
}

// Answers stand in the order of the questions.
void Keep(const std::set<uint64_t>& addresses, std::vector<ResolvedAddress> answers,
          std::map<uint64_t, ResolvedAddress>& named) {
  size_t next = 0;
  for (const uint64_t address : addresses) named.emplace(address, std::move(answers[next++]));
}

}  // namespace

void StackNames::Learn(const EventBlock& block, size_t first_event) {
  for (const TraceEvent& event : std::span(block.events).subspan(first_event)) {
    if (event.kind == EventKind::kTask) {
      const TaskRecord& task = block.tasks[event.task.index];
      if (task.change == TaskChange::kExec) images_.Replaced(task.tgid);
    }
    if (event.kind != EventKind::kStack) continue;
    const StackRecord& stack = block.stacks[event.stack.index];
    if (stacks_.count(stack.stack_id) > 0) continue;
    const uint64_t frames = stack.kernel.size() + stack.user.size();
    if (frames_ + frames > kMostFrames) {
      ++stacks_left_out_;
      continue;
    }
    frames_ += frames;
    Definition& definition = stacks_[stack.stack_id];
    definition.kernel = stack.kernel;
    definition.user = stack.user;
    definition.exact = stack.exact;
    if (stack.user.empty()) continue;
    definition.image = images_.ImageOf(stack.tgid, stack.user, stack.exact, event.time_ns);
    if (!paths_.cache.empty()) new_stacks_.emplace_back(event.time_ns, stack.stack_id);
  }
}

void StackNames::LookAtProcesses(uint64_t now_ns) {
  images_.Capture(kLooksAtOnce, now_ns);
  ReadAhead(now_ns);
}

void StackNames::ReadAhead(uint64_t now_ns) {
  for (size_t left = kStacksAtOnce; left > 0 && !new_stacks_.empty(); --left) {
    const auto [time_ns, id] = new_stacks_.front();
    if (now_ns < time_ns + kReadAheadAfterNs) return;  // by then its process was looked at
    new_stacks_.pop_front();
    const Definition& stack = stacks_.at(id);
    const ProcessMaps* const maps = images_.Find(stack.image, stack.user);
    if (maps == nullptr) continue;
    if (!reader_) reader_ = std::make_unique<FunctionReader>(paths_, account_);
    for (const uint64_t address : stack.user) {
      const Mapping* const mapping = ProcessImages::MappingAt(*maps, address);
      if (mapping != nullptr) reader_->Want(*maps, *mapping);
    }
  }
}

pb::Symbols StackNames::Images() const {
  SymbolWriter writer;
  for (const auto& [id, maps] : images_.all()) writer.AddImage(id.tgid, id.version, maps);
  return writer.Take();
}

pb::Symbols StackNames::Name(const std::atomic<bool>* stop) {
  if (reader_) reader_->Stop();
  account_.Hurry();  // somebody waits
  images_.CaptureAll(MonotonicNowNs());
  images_.ReadPerfMaps();

  std::map<const ProcessMaps*, std::set<uint64_t>> wanted;
  std::set<uint64_t> wanted_kernel;
  uint64_t cut_short = 0;
  for (auto& [id, stack] : stacks_) {
    Want(stack.kernel, wanted_kernel);
    stack.maps = images_.Find(stack.image, stack.user);
    if (stack.maps != nullptr && !stack.exact) {
      const size_t frames = ProcessImages::CodeFrames(*stack.maps, stack.user);
      cut_short += frames < stack.user.size();
      stack.user.resize(frames);
    }
    if (stack.maps != nullptr) Want(stack.user, wanted[stack.maps]);
  }

  SymbolLimits limits;
  limits.max_memory_bytes = kChildMemoryBytes;
  limits.max_cpu_seconds = kChildSeconds;
  limits.max_wall_seconds = 2 * kChildSeconds;
  limits.account = &account_;
  limits.stop = stop;
  Symbolizer symbolizer(paths_, limits);
  std::map<uint64_t, ResolvedAddress> kernel;
  const std::vector<uint64_t> kernel_list(wanted_kernel.begin(), wanted_kernel.end());
  Keep(wanted_kernel,
       name_kernel_ ? symbolizer.ResolveKernel(kernel_list)
                    : std::vector<ResolvedAddress>(kernel_list.size(), {.module = "[kernel]"}),
       kernel);

  std::vector<std::vector<uint64_t>> lists;
  std::vector<ProcessAddresses> questions;
  questions.reserve(wanted.size());
  lists.reserve(wanted.size());  // the questions point into it
  for (const auto& [maps, addresses] : wanted)
    questions.push_back({maps, lists.emplace_back(addresses.begin(), addresses.end())});
  auto answers = symbolizer.Resolve(questions);
  std::map<const ProcessMaps*, std::map<uint64_t, ResolvedAddress>> user;
  size_t next = 0;
  for (const auto& [maps, addresses] : wanted)
    Keep(addresses, std::move(answers[next++]), user[maps]);

  SymbolWriter writer;
  for (const auto& [id, maps] : images_.all()) writer.AddImage(id.tgid, id.version, maps);
  for (const auto& [id, stack] : stacks_) {
    pb::StackFrames& frames = writer.AddStack(id);
    for (size_t i = 0; i < stack.kernel.size(); ++i)
      writer.AddFrames(kernel.at(CodeAddress(stack.kernel, i)), *frames.mutable_kernel());
    for (size_t i = 0; i < stack.user.size(); ++i)
      writer.AddFrames(stack.maps == nullptr ? ResolvedAddress{}
                                             : user.at(stack.maps).at(CodeAddress(stack.user, i)),
                       *frames.mutable_user());
    if (stack.maps != nullptr && !stack.user.empty())
      frames.set_spins(user.at(stack.maps).at(CodeAddress(stack.user, 0)).spins);
  }
  writer.AddCounters(images_.counters());
  writer.AddCounters(symbolizer.counters());
  writer.AddNotes(symbolizer.notes());
  writer.AddCounters({{"stacks_cut_short", cut_short}});
  return writer.Take();
}

void StackNames::Restore(const pb::Symbols& symbols) {
  images_.LookNoMore();
  for (const pb::ProcessImage& image : symbols.processes())
    images_.Restore({image.tgid(), image.version()}, ReadImage(image, symbols));
}

}  // namespace gordian
