// SPDX-License-Identifier: Apache-2.0
// Runs independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace gordian {

// As many threads as this process may use CPUs, if `threads` is 0; else that many.
int ThreadCount(int threads);

// Calls work(index, worker) once for each index below `count`, on up to `threads` threads, the
// calling one among them, and returns when all are done. `worker` is below `threads` and never the
// same for two calls at a time: it picks scratch memory. Chance decides which worker gets which
// index, so results must not depend on it. An exception from `work` ends the process.
void ParallelFor(int threads, size_t count,
                 const std::function<void(size_t index, int worker)>& work);

}  // namespace gordian
