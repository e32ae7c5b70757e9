// SPDX-License-Identifier: Apache-2.0
#include "output/folded_waits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A semicolon parts two frames.
std::string Frame(std::string text) {
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

}  // namespace

std::string FoldedWaits(std::span<const WeightedStack> stacks, const Code& code) {
  std::string text;
  for (const WeightedStack& stack : stacks) {
    const auto waited_us = static_cast<uint64_t>(std::llround(std::max(0.0, stack.seconds) * 1e6));
    if (waited_us == 0 || stack.waits_for.empty()) continue;
    absl::StrAppend(&text, Frame(stack.process), ";", Frame(stack.thread), ";");
    for (auto frame = stack.path.rbegin(); frame != stack.path.rend(); ++frame)
      absl::StrAppend(&text, Frame(CleanText(FrameName(code.frame(*frame)))), ";");
    const bool bare = stack.path.empty();
    absl::StrAppend(&text, bare ? "" : "[", "waits for ", Frame(stack.waits_for), bare ? "" : "]",
                    " ", waited_us, "\n");
  }
  return text;
}

}  // namespace gordian
