// SPDX-License-Identifier: Apache-2.0
// Inner to the reader of OpenTelemetry spans.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

class OtelLog;

// Hands every span to `log`. Damaged documents are counted; reading goes on with the next line.
absl::Status ParseOtel(LogBytes& bytes, const std::string& file, OtelLog& log);

}  // namespace gordian
