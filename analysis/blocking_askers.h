// SPDX-License-Identifier: Apache-2.0
// Workers that each wait in a call for their one answer: there are as many requests under way as
// workers, and only more of these send more.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Findings that ask such workers to have more requests under way ask for more workers, one for each
// request that waits. The report must have its code: it tells a call that waits for its answer from
// an event loop.
void AskForMoreBlockingAskers(pb::Report& report);

}  // namespace gordian
