// SPDX-License-Identifier: Apache-2.0
#include "output/critical_flame.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "output/pprof.h"
#include "output/speedscope.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A semicolon parts two frames.
std::string FlameFrame(std::string text) {
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

std::string FoldedRuns(std::span<const WeightedStack> stacks, const Code& code) {
  std::string text;
  for (const WeightedStack& stack : stacks) {
    const auto run_us = static_cast<uint64_t>(std::llround(std::max(0.0, stack.seconds) * 1e6));
    if (run_us == 0) continue;
    absl::StrAppend(&text, FlameFrame(stack.process), ";", FlameFrame(stack.thread));
    for (auto frame = stack.path.rbegin(); frame != stack.path.rend(); ++frame)
      absl::StrAppend(&text, ";", FlameFrame(CleanText(FrameName(code.frame(*frame)))));
    absl::StrAppend(&text, stack.path.empty() ? ";[not sampled]" : "", " ", run_us, "\n");
  }
  return text;
}

}  // namespace

FlameFormat FlameFormatOf(std::string_view path) {
  const auto ends = [&](std::string_view ending) {
    return path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
  };
  if (ends(".json")) return FlameFormat::kSpeedscope;
  return ends(".pb") || ends(".gz") ? FlameFormat::kPprof : FlameFormat::kFolded;
}

std::string CriticalFlame(std::span<const WeightedStack> stacks, const Code& code,
                          FlameFormat format, const std::string& name, double recorded_seconds) {
  switch (format) {
    case FlameFormat::kSpeedscope:
      return SpeedscopeJson(stacks, code, name);
    case FlameFormat::kPprof:
      return PprofProfile(stacks, code, recorded_seconds);
    case FlameFormat::kFolded:
      break;
  }
  return FoldedRuns(stacks, code);
}

}  // namespace gordian
