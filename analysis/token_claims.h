// SPDX-License-Identifier: Apache-2.0
// A thread runs for one request at a time. Inner to the library.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// A walk back from an answer cannot see where a thread took up that request, if that is told by
// nothing but the thread's own memory: it goes on through the thread's work for others. So several
// requests claim the same runs, and the same waits of threads that are no event loops. Each is of
// the request that is answered first. All others stood behind, and so they did in what their thread
// did just before, as it led to that run.
//
// If an event loop waits for another program's thread, the request is with that thread, which
// serves one at a time.
void KeepOneClaim(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                  TokenTurns& turns);

}  // namespace gordian
