// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV of activities, as spans or as a Spark event log: the importers must take or
// refuse them, and give only edges that the format can hold.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "import/activity_csv.h"
#include "import/otel_activities.h"
#include "import/spark_activities.h"
#include "trace/logs/log_bytes.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

void RequireThat(bool holds) {
  if (!holds) std::abort();
}

class CheckedActivities : public ActivitySink {
 public:
  absl::Status Add(const ToldActivity& activity) override {
    RequireThat(activity.src_ns <= kMaxActivityNs && activity.dst_ns <= kMaxActivityNs);
    RequireThat(!activity.src_worker.empty() && !activity.dst_worker.empty());
    for (const std::string_view name :
         {activity.src_worker, activity.dst_worker, activity.type, activity.label})
      RequireThat(name.size() <= kMaxActivityNameBytes);
    // A worker's activity without length would be a circle.
    const bool is_circle =
        activity.src_worker == activity.dst_worker && activity.src_ns == activity.dst_ns;
    RequireThat(!is_circle || may_have_circles);
    return absl::OkStatus();
  }

  bool may_have_circles = false;
};

class BytesInMemory : public LogBytes {
 public:
  explicit BytesInMemory(std::string_view text) : rest_(text) {}
  absl::StatusOr<size_t> Read(std::span<char> out) override {
    const size_t given = std::min(out.size(), rest_.size());
    std::memcpy(out.data(), rest_.data(), given);
    rest_.remove_prefix(given);
    return given;
  }

 private:
  std::string_view rest_;
};

void RequireExplained(const absl::Status& status) {
  RequireThat(status.ok() || (absl::IsInvalidArgument(status) && !status.message().empty()));
}

void TakeCsv(std::string_view text, CheckedActivities& sink) {
  sink.may_have_circles = true;
  ActivityCsv csv(sink);
  absl::Status status;
  while (status.ok() && !text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // Longer ones never come here (LineReader).
    if (line.size() <= kMaxActivityNameBytes) status = csv.TakeRecord(line);
  }
  RequireExplained(status);
}

void TakeSpans(std::string_view text, CheckedActivities& sink) {
  BytesInMemory bytes(text);
  OtelActivities spans;
  absl::Status status = ReadOtelSpans(bytes, spans);
  pb::ActivityGraph graph;
  if (status.ok()) status = spans.Finish(sink, graph);
  RequireExplained(status);
}

void TakeEvents(std::string_view text, CheckedActivities& sink) {
  BytesInMemory bytes(text);
  LogLines lines(bytes);
  SparkActivities events;
  absl::Status status;
  for (std::string_view line; status.ok() && lines.Next(line);) status = events.TakeLine(line);
  pb::ActivityGraph graph;
  if (status.ok()) status = events.Finish(sink, graph);
  RequireExplained(status);
}

void TakeAny(std::string_view text) {
  if (text.empty()) return;
  CheckedActivities sink;
  const char format = text.front();
  text.remove_prefix(1);
  if (format == 'c') TakeCsv(text, sink);
  if (format == 'o') TakeSpans(text, sink);
  if (format == 's') TakeEvents(text, sink);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::TakeAny({reinterpret_cast<const char*>(data), size});
  return 0;
}
