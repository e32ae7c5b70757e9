// SPDX-License-Identifier: Apache-2.0
// The changes that are worth asking about a wait, a vertex or the machine that somebody picked,
// whether a finding is about it or not.
#pragma once

#include <cstdint>

#include "schema/report.pb.h"
#include "whatif/fix_questions.h"

namespace gordian {

// In the order in which they are worth asking; without any, why. Ids that the report does not have
// are nobody's: there is nothing to ask.
FixQuestions QuestionsOfWait(const pb::Report& report, uint32_t from, uint32_t to);
FixQuestions QuestionsOfVertex(const pb::Report& report, uint32_t vertex);
// More CPUs; of several nodes for each.
FixQuestions QuestionsOfMachine(const pb::Report& report);

}  // namespace gordian
