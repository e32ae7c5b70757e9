// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry spans → edges of an activity graph (docs/import-activities.md has the translation).
//
// A child may come long before its parent, and the place of a span after it: all spans are held
// until the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "import/lanes.h"
#include "import/waiting_line.h"
#include "trace/activities/activity.h"
#include "trace/activities/activity_writer.h"
#include "trace/logs/otel_spans.h"

namespace gordian {

class OtelActivities : public OtelSink {
 public:
  static constexpr size_t kMaxSpans = 8u << 20;

  void AddSpan(OtelSpan span) override;
  void PlaceSpans(const OtelPlace& place) override;
  // InvalidArgument, with the line: a graph of which parts are missing would tell wrong causes.
  absl::Status Damaged(uint64_t line, bool breaks_off) override;

  // Writes all edges, and adds the counters.
  absl::Status Finish(ActivitySink& sink, pb::ActivityGraph& graph);

 private:
  struct Span {
    std::string parent_id;
    std::vector<std::string> links;
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    uint32_t name = 0;   // of names_
    uint32_t place = 0;  // of names_
    uint32_t lane = 0;
  };
  static constexpr size_t kNoSpan = SIZE_MAX;

  uint32_t Name(std::string_view text);
  size_t Find(const std::string& id) const;
  std::string WorkerOf(const Span& span) const;
  void TakeLanes();
  absl::Status WriteCauses(ActivitySink& sink);
  absl::Status WriteCause(const Span& cause, size_t cause_number, const Span& effect,
                          ActivitySink& sink);
  absl::Status WriteLine(const Span& span, std::vector<LineEvent>& events, ActivitySink& sink);

  ActivityNames names_;
  absl::Status over_limit_;
  std::vector<Span> spans_;
  absl::flat_hash_map<std::string, size_t> by_id_;
  size_t first_unplaced_ = 0;
  Lanes lanes_;
  std::vector<std::vector<LineEvent>> events_;  // by span
  uint64_t odd_ = 0;
  uint64_t without_parent_ = 0;
};

}  // namespace gordian
