// SPDX-License-Identifier: Apache-2.0
// A stack as a person tells it.
//
// From the inner end, user frames of common libraries (libc, libstdc++) are passed; the last of
// them is the function that the program called. Then come the program's own frames, without
// functions that start threads and without std:: functions compiled into the program.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/stacks/name_list.h"
#include "analyzer/stacks/stacks.h"

namespace gordian {
namespace {

constexpr std::string_view kLibraries[] = {"libc.so", "libc-",    "libpthread", "libstdc++",
                                           "libc++",  "libgcc_s", "ld-linux",   "ld-musl",
                                           "libm.so", "librt",    "[vdso]",     "linux-vdso"};
constexpr std::string_view kLibraryNames[] = {"std::", "__gnu_cxx::", "__gthread", "__gnu::"};
constexpr std::string_view kStarters[] = {
    "_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "__clone",
    "clone3", "__clone3"};
constexpr std::string_view kKernelStarters[] = {"ret_from_fork", "ret_from_fork_asm", "kthread"};
constexpr std::string_view kSyscalls[] = {"__x64_sys_",  "__arm64_sys_", "__se_sys_",
                                          "__ia32_sys_", "__s390x_sys_", "__riscv_sys_"};

template <typename Names>
bool AnyBegins(const Names& beginnings, std::string_view text) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

bool IsLibrary(const CodeFrame& frame) {
  const std::string_view module = frame.module;
  return AnyBegins(kLibraries, module.substr(module.rfind('/') + 1)) ||
         AnyBegins(kLibraryNames, frame.function) || Holds(kStarters, frame.function);
}

// __x64_sys_fsync -> fsync
std::string SyscallName(std::string_view function) {
  for (const std::string_view prefix : kSyscalls) {
    if (function.starts_with(prefix)) return std::string(function.substr(prefix.size()));
  }
  return "";
}

std::string KernelStory(const CodePath& path, const Code& code, size_t most_frames) {
  std::vector<std::string> parts;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.function.empty() || Holds(kKernelStarters, frame.function)) continue;
    if (parts.size() < most_frames) parts.push_back(frame.function);
  }
  return absl::StrJoin(parts, " ← ");
}

}  // namespace

// One walk outwards.
std::string StoryOf(const CodePath& path, const Code& code, size_t most_frames) {
  std::string syscall;
  std::string entry;               // the library function that the program called
  std::vector<std::string> named;  // the program's frames
  std::vector<std::string> unnamed;
  bool any_user = false;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel) {
      if (syscall.empty()) syscall = SyscallName(frame.function);
      continue;
    }
    any_user |= !frame.function.empty() || !frame.module.empty();
    if (IsLibrary(frame)) {
      const bool innermost = named.empty() && unnamed.empty();
      if (innermost && !frame.function.empty() && !Holds(kStarters, frame.function))
        entry = frame.function;
    } else if (!frame.function.empty()) {
      named.push_back(FrameNameAndLine(frame));
    } else if (!frame.module.empty()) {
      unnamed.push_back(FrameName(frame));
    }
  }
  if (!any_user && syscall.empty()) return KernelStory(path, code, most_frames);
  std::vector<std::string> parts;
  if (entry.empty()) entry = syscall;
  if (!entry.empty()) parts.push_back(entry);
  for (std::string& part : named.empty() ? unnamed : named) {
    if (parts.size() < most_frames) parts.push_back(std::move(part));
  }
  return absl::StrJoin(parts, " ← ");
}

const CodeFrame* ProgramFrame(const CodePath& path, const Code& code) {
  const CodeFrame* unnamed = nullptr;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel || IsLibrary(frame)) continue;
    if (!frame.function.empty()) return &frame;
    if (unnamed == nullptr && !frame.module.empty()) unnamed = &frame;
  }
  return unnamed;
}

std::vector<Story> StoriesOf(std::span<const PathShare> paths, const Code& code,
                             size_t most_frames) {
  std::vector<Story> stories;
  absl::flat_hash_map<std::string, size_t> places;
  for (const PathShare& path : paths) {
    std::string text = StoryOf(path.path, code, most_frames);
    const auto [place, is_new] = places.try_emplace(text, stories.size());
    if (is_new) stories.push_back({.text = std::move(text)});
    stories[place->second].share += path.share;
    stories[place->second].samples += path.samples;
  }
  std::stable_sort(stories.begin(), stories.end(),
                   [](const Story& a, const Story& b) { return a.share > b.share; });
  return stories;
}

}  // namespace gordian
