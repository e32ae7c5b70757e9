// SPDX-License-Identifier: Apache-2.0
// The result of a replay, as an answer in the words of the report.
#pragma once

#include <string>

#include "schema/whatif.pb.h"
#include "whatif/ask/change_table.h"
#include "whatif/ask/named_progress.h"
#include "whatif/replay/replay.h"

namespace gordian {

pb::WhatIf AnswerOf(const AnalyzedRecording& recording, const NamedChanges& changes,
                    const NamedProgress& progress, const ReplayResult& result);

// In one sentence, of its ends.
std::string VerdictOf(const pb::WhatIf& answer);
// … where the replay of requests answers.
std::string RequestsVerdict(const pb::WhatIf& answer);

// "With …: ", what changes.
std::string ChangesText(const pb::WhatIf& answer);

// Of an answer whose lower end alone is told. At least as much as before is no promise.
std::string AtLeastVerdict(const pb::WhatIf& answer, double least, bool likely);

}  // namespace gordian
