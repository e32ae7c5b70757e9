// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/sureness.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr Sureness kSureness[] = {
    {SurenessLevel::kSure, 0.9, "sure",
     "The data show it, and nothing is missing that would touch it."},
    {SurenessLevel::kLikely, 0.7, "likely",
     "Something is missing, or was seen seldom. It would have to be unusual to change the "
     "finding."},
    {SurenessLevel::kPossible, 0.4, "possible",
     "Much is missing. Record again as the doubts say before you spend work on it."},
    {SurenessLevel::kGuess, 0.0, "a guess", "Look into it, and build nothing on it."},
};

}  // namespace

std::span<const Sureness> SurenessTable() { return kSureness; }

const Sureness& SurenessOf(double confidence) {
  return *std::find_if(std::begin(kSureness), std::end(kSureness) - 1,
                       [&](const Sureness& row) { return confidence >= row.at_least; });
}

const char* SurenessWord(double confidence) { return SurenessOf(confidence).word; }

}  // namespace gordian
