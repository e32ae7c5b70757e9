// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/literal_finder.h"

#include <algorithm>

namespace gordian {

// The automaton of Aho and Corasick as a full table. First a tree of the texts' beginnings, whose
// nodes are the states. Then, level by level, each missing step is the step from the longest end of
// the state's text that is another beginning ("fallback"): that state is nearer to the root, so
// its own steps are complete already.
LiteralFinder::LiteralFinder(const std::vector<std::string>& literals) : seen_in_(literals.size()) {
  std::vector<std::string_view> texts;
  texts.reserve(literals.size());
  for (const std::string& literal : literals)
    texts.push_back(std::string_view(literal).substr(0, kMaxLiteralBytes));
  std::array<bool, 256> used{};
  for (const std::string_view text : texts) {
    for (const char byte : text) used[static_cast<uint8_t>(byte)] = true;
  }
  // Of 256 used bytes the last one shares class 0 with nothing.
  const bool all_used = std::all_of(used.begin(), used.end(), [](bool is) { return is; });
  classes_ = all_used ? 0 : 1;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (used[byte]) class_of_[byte] = static_cast<uint8_t>(classes_++);
  }

  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> steps(classes_, kNone);  // by state and class, in states
  hits_.resize(1);
  for (uint32_t number = 0; number < texts.size(); ++number) {
    uint32_t state = 0;
    for (const char byte : texts[number]) {
      const size_t step = state * classes_ + class_of_[static_cast<uint8_t>(byte)];
      if (steps[step] == kNone) {
        steps[step] = static_cast<uint32_t>(hits_.size());
        steps.resize(steps.size() + classes_, kNone);
        hits_.emplace_back();
      }
      state = steps[step];
    }
    hits_[state].push_back(number);
  }

  std::vector<uint32_t> fallback(hits_.size(), 0), order = {0};
  for (size_t at = 0; at < order.size(); ++at) {
    const uint32_t state = order[at];
    for (size_t letter = 0; letter < classes_; ++letter) {
      uint32_t& step = steps[state * classes_ + letter];
      const uint32_t other = state == 0 ? 0 : steps[fallback[state] * classes_ + letter];
      if (step == kNone) {
        step = other;
        continue;
      }
      order.push_back(step);
      fallback[step] = other;
      hits_[step].insert(hits_[step].end(), hits_[other].begin(), hits_[other].end());
    }
  }

  next_.resize(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    next_[i] = steps[i] * static_cast<uint32_t>(classes_) | (hits_[steps[i]].empty() ? 0 : kHit);
  }
}

void LiteralFinder::AddHits(uint32_t state) {
  for (const uint32_t text : hits_[state]) {
    if (seen_in_[text] == line_) continue;
    seen_in_[text] = line_;
    found_.push_back(text);
  }
}

const std::vector<uint32_t>& LiteralFinder::Find(std::string_view line) {
  ++line_;
  found_.clear();
  uint32_t row = 0;
  for (const char byte : line) {
    const uint32_t next = next_[row + class_of_[static_cast<uint8_t>(byte)]];
    row = next & ~kHit;
    if ((next & kHit) != 0) AddHits(row / static_cast<uint32_t>(classes_));
  }
  return found_;
}

}  // namespace gordian
