// SPDX-License-Identifier: Apache-2.0
// The stretch of time that a session is about, by the clock of its times.
#pragma once

#include <cstdint>

#include "trace/session_reader.h"

namespace gordian {

struct SessionSpan {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  bool gave_way = false;  // older blocks of a flight recorder
};

// What gave way is no part of it: then it begins with the oldest block there is.
SessionSpan SpanOf(const SessionReader& session);

}  // namespace gordian
