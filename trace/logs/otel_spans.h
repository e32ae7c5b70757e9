// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry spans as OTLP/JSON: one document, or many one after the other, with any line
// breaks. Read as a stream: no document is ever held as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

struct OtelSpan {
  std::string id;                  // of its trace and itself; empty: it tells none
  std::string parent_id;           // likewise; empty: it has none
  std::vector<std::string> links;  // ids of others that caused it
  std::string name;
  uint64_t start_ns = 0;  // since 1970; 0: not told
  uint64_t end_ns = 0;    // 0: it has not ended
  int32_t tid = 0;        // 0: not told
};

// Where spans ran, as far as it is told.
struct OtelPlace {
  std::string service;
  std::string instance;
  std::string node;
  int32_t pid = 0;
};

class OtelSink {
 public:
  virtual ~OtelSink() = default;
  virtual void AddSpan(OtelSpan span) = 0;
  // Of all spans since the last call, or since the beginning.
  virtual void PlaceSpans(const OtelPlace& place) = 0;
  // A document that is none, with the line on which it began. Reading goes on with the next line if
  // this returns OK.
  virtual absl::Status Damaged(uint64_t line, bool breaks_off) = 0;
};

// Hands every span to `sink`.
absl::Status ReadOtelSpans(LogBytes& bytes, OtelSink& sink);

}  // namespace gordian
