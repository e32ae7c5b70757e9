// SPDX-License-Identifier: Apache-2.0
// Inner to the reader of Chrome's traces.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "jobs/tree/tally.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

class ChromeTrace;

// Hands every event to `trace`. Damaged documents are counted; reading goes on with the next line.
absl::Status ParseChromeTrace(LogBytes& bytes, const std::string& file, ChromeTrace& trace,
                              Tally& tally);

}  // namespace gordian
