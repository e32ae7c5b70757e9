// SPDX-License-Identifier: Apache-2.0
// Whoever gets each frame of `gordian top`: the screen, lines of text, JSON.
#pragma once

#include "absl/status/status.h"
#include "live/live_session.h"

namespace gordian {

class MomentConsumer {
 public:
  virtual ~MomentConsumer() = default;
  // An error ends the program with its message. OutOfRange: it needs no more, and all is well.
  virtual absl::Status Take(const LiveMoment& moment) = 0;
};

}  // namespace gordian
