// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/calls_of_stacks.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// x86 and arm64 name the entry of fsync __x64_sys_fsync and __arm64_sys_fsync.
bool IsSystemCall(std::string_view function) {
  return function.starts_with("__") && function.find("_sys_") != std::string_view::npos;
}

// Functions that all system calls go through. The call's own function may have become part of it,
// or have ended in a jump to the one that does it (do_writev).
bool IsEntry(std::string_view function) {
  return function == "do_syscall_64" || function == "x64_sys_call" ||
         function.starts_with("entry_SYSCALL") || function == "invoke_syscall" ||
         function.starts_with("el0");
}

}  // namespace

std::string CallOf(const CodePath& path, const Code& code, size_t callers) {
  std::string call;
  std::string_view inner;
  size_t found = 0;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel) {
      if (IsSystemCall(frame.function) || (call.empty() && IsEntry(frame.function)))
        call = IsEntry(frame.function) ? inner : frame.function;
      inner = frame.function;
    } else if (!call.empty()) {
      if (found++ == callers) break;
      absl::StrAppend(&call, ";", FrameName(frame));
    }
  }
  return call;
}

bool IsInInterrupt(const CodePath& path, const Code& code) {
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return frame.kernel && (frame.function.find("sysvec") != std::string::npos ||
                            frame.function.find("common_interrupt") != std::string::npos);
  });
}

bool HasKernelFrame(const CodePath& path, const Code& code, std::string_view part) {
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return frame.kernel && frame.function.find(part) != std::string::npos;
  });
}

bool IsInWake(const CodePath& path, const Code& code) {
  return HasKernelFrame(path, code, "wake") || HasKernelFrame(path, code, "sock_def_readable");
}

uint64_t SamplesIn(std::span<const StackSum> sums) {
  uint64_t samples = 0;
  for (const StackSum& sum : sums) samples += sum.samples;
  return samples;
}

void WeighedCalls::Add(std::span<const StackSum> sums, const Code& code, StackSide side) {
  for (const StackSum& sum : sums) {
    times_[CallOf(code.PathOf(sum.stack_id, side), code, callers_)] += sum.estimate_ns;
    all_ += sum.estimate_ns;
  }
}

std::set<std::string> WeighedCalls::Take() const {
  std::set<std::string> calls;
  for (const auto& [call, time] : times_) {
    if (!call.empty() && time >= kCallCounts * all_) calls.insert(call);
  }
  return calls;
}

}  // namespace gordian
