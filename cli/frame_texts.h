// SPDX-License-Identifier: Apache-2.0
// Frames on standard output, for scripts, pipes and mails.
#pragma once

#include "cli/top/moment_consumer.h"

namespace gordian {

// All of these end without an error (OutOfRange) when nobody reads any more; a full disk is one.

// A line of JSON for each frame: schema/live.proto.
class JsonFrames : public MomentConsumer {
 public:
  absl::Status Take(const LiveMoment& moment) override;
};

// A line of text for each frame.
class LinesOfText : public MomentConsumer {
 public:
  absl::Status Take(const LiveMoment& moment) override;
};

// The overview as a page.
class PageOfText : public MomentConsumer {
 public:
  absl::Status Take(const LiveMoment& moment) override;
};

}  // namespace gordian
