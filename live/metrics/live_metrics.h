// SPDX-License-Identifier: Apache-2.0
// Live frames as metrics, for Prometheus and its kin (docs/alerts-and-metrics.md names them all).
//
//   LiveMetrics metrics;
//   metrics.Add(moment->frame, live->window_ns());   // with each frame
//   metrics.Text(MetricsFormat::kOpenMetrics);       // whenever somebody asks
//
// Gauges tell the last frame. Counters only grow.
//
// Seconds of waiting are a counter, although frames overlap: a frame of ten seconds comes with each
// second. Each frame adds its waits, times the share of its length that is new. So a second of
// waiting adds a tenth in each of the ten frames that hold it: one second in all. The counter is
// late by half a frame's length, and begins with the first frame. Time that lies between two
// frames, as the follower was slow, is in no counter but gordian_unseen_seconds_total.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "live/metrics/metrics_format.h"
#include "live/metrics/series_table.h"
#include "schema/live.pb.h"

namespace gordian {

// What became of a rule (live/rules).
struct RuleCounts {
  std::string rule;
  uint64_t fired = 0;
  uint64_t failed = 0;  // its actions: commands, recordings that could not be kept
};

class LiveMetrics {
 public:
  LiveMetrics();

  // `window_ns`: the length of a frame when there is enough to tell.
  void Add(const pb::LiveFrame& frame, uint64_t window_ns);
  void SetRules(std::vector<RuleCounts> rules) { rules_ = std::move(rules); }

  std::string Text(MetricsFormat format) const;

 private:
  void AddLimit(const pb::LiveFrame& frame);
  void AddParticipation(const pb::LiveFrame& frame);
  void AddWaits(const pb::LiveFrame& frame, uint64_t window_ns);
  void AddDevices(const pb::LiveFrame& frame);
  void AddLosses(const pb::LiveQuality& quality);

  pb::LiveFrame last_;  // without what the tables hold
  uint64_t frames_ = 0;
  double unseen_s_ = 0;
  double lost_ = 0;
  double lost_blocks_ = 0;
  double told_late_ = 0;
  double paused_s_ = 0;
  SeriesTable limit_share_;
  SeriesTable limit_held_s_;
  SeriesTable limit_gain_;
  SeriesTable participation_;
  SeriesTable waits_s_;
  SeriesTable device_busy_;
  SeriesTable device_bytes_;
  SeriesTable device_operations_;
  std::vector<RuleCounts> rules_;
};

}  // namespace gordian
