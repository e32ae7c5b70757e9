// Off-CPU time as folded stacks, for flame graph tools: one line per wait-for edge,
//
//   process;thread;waits for X 1234567
//
// The number is microseconds that the thread itself waited (the edge's own part; the cascaded part
// would count an instant once for everybody who waits). Recordings hold no stacks, so a "stack" is
// who waits and for whom.
#pragma once

#include <string>

#include "proto/report.pb.h"

namespace gordian {

std::string FoldedWaits(const pb::Report& report);

}  // namespace gordian
