// SPDX-License-Identifier: Apache-2.0
// The description of a kernel's tracing that perf.data holds as a part, and that trace.dat begins
// with: the formats of its events.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "import/kernel/byte_cursor.h"
#include "import/kernel/raw_events.h"

namespace gordian {

struct TracingData {
  uint32_t page_bytes = 0;
  bool is_long_64 = true;
};

// Takes it from `bytes` and describes its events to `events`. InvalidArgument if it is cut or of
// another byte order.
absl::Status ReadTracingData(ByteCursor& bytes, RawEvents& events, TracingData& data);

}  // namespace gordian
