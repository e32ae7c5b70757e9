// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/stacks/inner_frames.h"
#include "analyzer/stacks/stacks.h"
#include "words/function_names.h"

namespace gordian {
namespace {

// The file's name without the folders.
std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string FrameName(const CodeFrame& frame) {
  if (!frame.function.empty()) return frame.function;
  if (frame.module.empty()) return "[unknown]";
  return absl::StrCat(std::string(BaseName(frame.module)), "+0x", absl::Hex(frame.module_offset));
}

std::string FrameNameAndLine(const CodeFrame& frame) {
  std::string text = FrameName(frame);
  if (!frame.function.empty() && !frame.file.empty() && frame.line > 0)
    absl::StrAppend(&text, " (", std::string(BaseName(frame.file)), ":", frame.line, ")");
  return text;
}

Code::Code(const pb::Symbols& symbols) : notes_(symbols.notes().begin(), symbols.notes().end()) {
  const auto text = [&](uint32_t index) { return symbols.text(static_cast<int>(index)); };
  frames_.reserve(1 + static_cast<size_t>(symbols.frames_size()));
  frames_.emplace_back();
  for (const pb::SymbolFrame& frame : symbols.frames()) {
    frames_.push_back({.function = ShortFunctionName(text(frame.function())),
                       .file = text(frame.file()),
                       .line = frame.line(),
                       .module = text(frame.module()),
                       .module_offset = frame.module_offset(),
                       .inlined = frame.inlined()});
  }
  stacks_.reserve(static_cast<size_t>(symbols.stacks_size()));
  for (const pb::StackFrames& stack : symbols.stacks()) {
    Stack& kept = stacks_[stack.stack_id()];
    kept.frames.clear();
    kept.spins = stack.spins();
    for (const uint32_t index : stack.kernel()) {
      if (kept.frames.size() == kMostPathFrames) break;
      kept.frames.push_back(index + 1);
      frames_[index + 1].kernel = true;
    }
    kept.kernel_frames = static_cast<uint32_t>(kept.frames.size());
    for (const uint32_t index : stack.user()) {
      if (kept.frames.size() == kMostPathFrames) break;
      kept.frames.push_back(index + 1);
    }
  }
}

CodePath Code::PathOf(uint32_t stack_id, StackSide side) const {
  const auto found = stacks_.find(stack_id);
  if (found == stacks_.end() || found->second.frames.empty()) return {0};
  const Stack& stack = found->second;
  // The frames between two frames to cut are cut as well: a kprobe's way leads through names of the
  // architecture.
  uint32_t cut = 0;
  for (uint32_t i = 0; i < stack.kernel_frames; ++i) {
    if (IsTakingOfSample(frames_[stack.frames[i]].function, side)) cut = i + 1;
  }
  if (cut == stack.frames.size()) cut = 0;  // better too much than nothing
  return {stack.frames.begin() + cut, stack.frames.end()};
}

std::vector<PathShare> MergePaths(std::span<const StackSum> sums, const Code& code) {
  std::map<CodePath, PathShare> by_path;
  double whole_ns = 0;
  for (const StackSum& sum : sums) {
    CodePath path = code.PathOf(sum.stack_id, sum.side);
    PathShare& share = by_path[path];
    if (share.samples == 0) share.path = std::move(path);
    share.samples += sum.samples;
    share.estimate_ns += sum.estimate_ns;
    whole_ns += sum.estimate_ns;
  }
  std::vector<PathShare> shares;
  for (auto& [path, share] : by_path) {
    share.share = whole_ns > 0 ? share.estimate_ns / whole_ns : 0;
    shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(), [](const PathShare& a, const PathShare& b) {
    return a.estimate_ns > b.estimate_ns;
  });
  return shares;
}

}  // namespace gordian
