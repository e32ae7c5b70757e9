// SPDX-License-Identifier: Apache-2.0
// A blame in words and rows.
#pragma once

#include <functional>
#include <string>

#include "loglines/blame_walk.h"
#include "schema/log_explanation.pb.h"

namespace gordian {

// "web1/server/4711", "web1/disk sda", "link web1→db1". Clean text.
std::string WhoOf(const Timeline& timeline, EntityId id);

// Fills in edges, charges and answer. The blame is of [since_ns, at_ns) of `thread`.
void TellBlame(const Timeline& timeline, const Blame& blame, EntityId thread, uint64_t since_ns,
               uint64_t at_ns, pb::LogExplanation& told);

}  // namespace gordian
