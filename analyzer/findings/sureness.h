// SPDX-License-Identifier: Apache-2.0
// A confidence in words.
//
// The numbers (confidence of a finding, trust of a prediction) are products of doubts. Nothing yet
// compares them with how often such findings are right, so people read words. After such a
// comparison only the table changes.
#pragma once

#include <cstdint>
#include <span>

namespace gordian {

enum class SurenessLevel : uint8_t { kSure, kLikely, kPossible, kGuess };

struct Sureness {
  SurenessLevel level = SurenessLevel::kGuess;
  double at_least = 0;  // 0 … 1
  const char* word = "";
  const char* meaning = "";
};

// The surest first.
std::span<const Sureness> SurenessTable();
const Sureness& SurenessOf(double confidence);
const char* SurenessWord(double confidence);

}  // namespace gordian
