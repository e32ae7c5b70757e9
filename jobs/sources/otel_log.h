// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry spans as OTLP/JSON: one document, or many one after the other, with any line
// breaks. Read as a stream: no document is ever held as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/sources/log_reader.h"
#include "jobs/tree/text_numbers.h"

namespace gordian {

struct OtelSpan {
  std::string id;         // of its trace and itself
  std::string parent_id;  // likewise; empty: it has none
  uint32_t name = 0;      // index into the names
  uint64_t start_ns = 0;  // since 1970
  uint64_t end_ns = 0;    // 0: it has not ended
  uint32_t node = 0;      // index into the names
  int32_t pid = 0;
  int32_t tid = 0;
};

class OtelLog : public LogReader {
 public:
  explicit OtelLog(LogSinks& sinks) : sinks_(sinks) {}
  absl::Status Read(LogBytes& bytes, const std::string& name) override;
  void Finish() override;

  // For the parser.
  void AddSpan(OtelSpan span);
  uint32_t Name(std::string_view text) { return names_.Number(text); }
  // Gives the spans from `first` on the place of the resource they belong to.
  void PlaceSpans(size_t first, uint32_t node, int32_t pid);
  size_t spans() const { return spans_.size(); }
  Tally& tally() { return sinks_.tally; }

 private:
  enum class State : uint8_t { kWaiting, kOnTheWay, kDone };
  void Collect(size_t span);
  void AddToTree(size_t span, uint32_t parent);

  LogSinks& sinks_;
  TextNumbers names_;
  std::vector<OtelSpan> spans_;
  absl::flat_hash_map<std::string, size_t> by_id_;
  std::vector<State> states_;
  std::vector<uint32_t> phases_;  // by span
};

}  // namespace gordian
