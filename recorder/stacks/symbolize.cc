// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/symbolize.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "recorder/sources/host.h"
#include "recorder/stacks/stack_names.h"
#include "symbols/symbol_writer.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

using Indices = google::protobuf::RepeatedField<uint32_t>;

int CountNamed(const pb::Symbols& symbols, const Indices& frames) {
  int named = 0;
  for (const uint32_t frame : frames)
    named += symbols.frames(static_cast<int>(frame)).function() != 0;
  return named;
}

// Only the kernel that was recorded can tell its names: after a reboot its code lies elsewhere.
bool IsRecordedKernel(const pb::Session& session) {
  pb::Session here;
  FillHost(SystemPaths{}, here);
  return !here.host().boot_id().empty() && here.host().boot_id() == session.host().boot_id();
}

absl::Status LearnStacks(SessionReader& session, StackNames& names) {
  EventBlock block;
  for (const auto& stream : session.cpus()) {
    for (size_t i = 0; i < stream->blocks().size(); ++i) {
      // The analysis counts a block that cannot be read; its stacks have no names.
      if (stream->Read(i, block).ok()) names.Learn(block);
    }
  }
  return absl::OkStatus();
}

// Of each part of each stack the names that are more.
pb::Symbols Join(const pb::Symbols& before, pb::Symbols now) {
  std::map<uint32_t, const pb::StackFrames*> known;
  for (const pb::StackFrames& stack : before.stacks()) known[stack.stack_id()] = &stack;
  SymbolWriter writer(std::move(now));
  for (pb::StackFrames& stack : writer.stacks()) {
    const auto found = known.find(stack.stack_id());
    if (found == known.end()) continue;
    const auto keep = [&](const Indices& old_frames, Indices& new_frames) {
      if (CountNamed(before, old_frames) <= CountNamed(writer.symbols(), new_frames)) return;
      new_frames.Clear();
      for (const uint32_t frame : old_frames)
        new_frames.Add(writer.CopyFrame(before.frames(static_cast<int>(frame)), before));
    };
    if (found->second->spins()) stack.set_spins(true);  // its file may be gone
    keep(found->second->kernel(), *stack.mutable_kernel());
    keep(found->second->user(), *stack.mutable_user());
  }
  return writer.Take();
}

}  // namespace

absl::StatusOr<SymbolizeResult> SymbolizeSession(const std::string& directory,
                                                 const SymbolPaths& paths) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  auto before = ReadSymbols(directory);
  if (!before.ok()) {
    if (!absl::IsNotFound(before.status()) && !absl::IsDataLoss(before.status()))
      return before.status();
    before = pb::Symbols();
    before->add_text();
  }
  StackNames names(paths);
  names.Restore(*before);
  if (!IsRecordedKernel((*session)->session())) names.LeaveKernelUnnamed();
  if (absl::Status status = LearnStacks(**session, names); !status.ok()) return status;

  const pb::Symbols symbols = Join(*before, names.Name());
  if (symbols.stacks_size() == 0)
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " holds no stacks; record with --stacks=sampled (the default without --ring)"));
  if (absl::Status status = WriteSymbols(directory, symbols); !status.ok()) return status;
  SymbolizeResult result;
  for (const pb::StackFrames& stack : symbols.stacks()) {
    ++result.stacks;
    result.frames += static_cast<uint64_t>(stack.kernel_size() + stack.user_size());
    result.named_frames += static_cast<uint64_t>(CountNamed(symbols, stack.kernel()) +
                                                 CountNamed(symbols, stack.user()));
  }
  result.notes.assign(symbols.notes().begin(), symbols.notes().end());
  return result;
}

}  // namespace gordian
