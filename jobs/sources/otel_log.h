// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry spans (trace/logs/otel_spans.h) as phases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/sources/log_reader.h"
#include "jobs/tree/text_numbers.h"
#include "trace/logs/otel_spans.h"

namespace gordian {

class OtelLog : public LogReader, private OtelSink {
 public:
  explicit OtelLog(LogSinks& sinks) : sinks_(sinks) {}
  absl::Status Read(LogBytes& bytes, const std::string& name) override;
  void Finish() override;

  // Of OtelSink.
  void AddSpan(OtelSpan span) override;
  void PlaceSpans(const OtelPlace& place) override;
  absl::Status Damaged(uint64_t line, bool breaks_off) override;

 private:
  struct Span {
    std::string id;
    std::string parent_id;
    uint32_t name = 0;  // index into the names
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint32_t node = 0;  // index into the names
    int32_t pid = 0;
    int32_t tid = 0;
  };
  enum class State : uint8_t { kWaiting, kOnTheWay, kDone };
  void Collect(size_t span);
  void AddToTree(size_t span, uint32_t parent);

  LogSinks& sinks_;
  TextNumbers names_;
  std::string file_;  // that is read
  std::vector<Span> spans_;
  size_t first_unplaced_ = 0;
  absl::flat_hash_map<std::string, size_t> by_id_;
  std::vector<State> states_;
  std::vector<uint32_t> phases_;  // by span
};

}  // namespace gordian
