// SPDX-License-Identifier: Apache-2.0
// A frame made by hand, for tests of the screen.
#pragma once

#include <string>

#include "live/live_session.h"

namespace gordian {

// A server of two groups of threads and a disk, in a window of 10 s: its writers hold each other
// up. Both groups' names are as given.
LiveMoment MadeMoment(const std::string& writers = "writer (4 threads)",
                      const std::string& flushers = "flusher");

}  // namespace gordian
