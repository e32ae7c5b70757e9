// SPDX-License-Identifier: Apache-2.0
// The description of a kernel's tracing that perf.data holds as a part, and that trace.dat begins
// with: the formats of its events.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "import/kernel/byte_cursor.h"
#include "import/kernel/raw_events.h"

namespace gordian {

inline constexpr std::string_view kTracingMagic = "\x17\x08\x44tracing";

struct TracingData {
  uint32_t page_bytes = 0;
  bool is_long_64 = true;
};

// Takes it from `bytes` and describes its events to `events`. InvalidArgument if it is cut or of
// another byte order.
absl::Status ReadTracingData(ByteCursor& bytes, RawEvents& events, TracingData& data);

// Parts of it: a number and so many formats, and the same for each of several systems.
absl::Status ReadFormatList(ByteCursor& bytes, RawEvents& events);
absl::Status ReadSystemFormats(ByteCursor& bytes, RawEvents& events);

}  // namespace gordian
