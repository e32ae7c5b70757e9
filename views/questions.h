// SPDX-License-Identifier: Apache-2.0
// The changes whose gain a page may ask for: about what somebody picked, of each finding, and of
// the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "whatif/fix_questions.h"

namespace gordian {

// More findings no page lists.
inline constexpr size_t kMostAskedFindings = 20;

struct PickedThing {
  // kNothing: also what no change is about, as a process or a node.
  enum class Kind : uint8_t { kNothing, kWait, kVertex, kEntity };
  Kind kind = Kind::kNothing;
  uint64_t id = 0;    // of the vertex, or of the thread or device; of a wait who waits
  uint64_t whom = 0;  // of a wait: the vertex it waits for
};

struct QuestionGroup {
  std::string of;  // selected, finding, machine
  std::string title;
  uint32_t finding = 0;  // its rank
  FixQuestions found;    // without questions: why
};

// The picked thing first. Ids may be anything.
std::vector<QuestionGroup> QuestionsOn(const Analysis& analysis, const PickedThing& picked);

}  // namespace gordian
