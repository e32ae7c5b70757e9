// SPDX-License-Identifier: Apache-2.0
// Requests in their own words: how many a second, how long each takes, how busy that keeps servers.
#pragma once

#include "schema/whatif.pb.h"
#include "whatif/ask/ask.h"
#include "whatif/edit/edit.h"
#include "whatif/requests/requests.h"

namespace gordian {

void TellRecordedLoad(const TokenModel& model, pb::WhatIf& answer);

// Requests come by themselves, and the change is of threads that serve them: a faster server is
// only idle for longer. Not so if it is of their clients, also of a lock that these hold, or of
// threads that no request comes to.
bool IsOpenLoop(const AnalyzedRecording& recording, const TokenModel& model,
                const pb::WhatIf& answer);
void TellUtilisation(const AnalyzedRecording& recording, const TokenModel& model,
                     const Changes& changes, pb::WhatIf& answer);

// With the change, for an answer that has its gain. The response time follows from Little's law.
void TellLoadAfter(const Changes& changes, pb::WhatIf& answer);

}  // namespace gordian
