// SPDX-License-Identifier: Apache-2.0
// Who asks, in the programs in which threads serve others.
#pragma once

#include "examples/fixes/fixes.h"
#include "examples/fixes/queue.h"

namespace gordian::fixes {

// A client sends a request, waits for the answer, and works on it. The last one to leave closes the
// queue. Its servers go on until then, even if that takes long: otherwise a client would wait for
// an answer forever.
void StartClients(Run& run, Queue<Answer*>& requests, int clients, uint64_t work_us);

}  // namespace gordian::fixes
