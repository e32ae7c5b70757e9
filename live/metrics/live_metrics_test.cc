// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/live_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "live/metrics/test_exposition.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kWindowNs = 10 * kNsPerSecond;

pb::LiveFrame FrameTo(double to_s) {
  pb::LiveFrame frame;
  frame.set_from_s(std::max(0.0, to_s - SecondsOf(kWindowNs)));
  frame.set_to_s(to_s);
  return frame;
}

void AddWait(pb::LiveFrame& frame, const std::string& from, const std::string& to,
             double weight_s) {
  pb::LiveWait& wait = *frame.add_waits();
  wait.set_from(from);
  wait.set_to(to);
  wait.set_weight_s(weight_s);
}

pb::LiveFrame FullFrame() {
  pb::LiveFrame frame = FrameTo(20);
  frame.set_held_s(4);
  pb::LiveFinding& finding = *frame.add_findings();
  finding.set_kind("knot");
  finding.add_members("worker (4 threads)");
  finding.add_members("db");
  finding.set_share(0.4);
  finding.set_upper_bound_gain(1.7);
  AddWait(frame, "worker (4 threads)", "db", 6);
  pb::LiveVertex& vertex = *frame.add_vertices();
  vertex.set_label("db");
  vertex.set_participation(0.75);
  pb::LiveResource& cpus = *frame.add_resources();
  cpus.set_node("web1");
  cpus.set_what("cpus");
  cpus.set_use(1.5);
  cpus.set_capacity(4);
  pb::LiveResource& disk = *frame.add_resources();
  disk.set_node("web1");
  disk.set_what("disk");
  disk.set_name("vda");
  disk.set_use(0.9);
  disk.set_bytes_per_s(1e6);
  disk.set_operations_per_s(100);
  pb::LiveQuality& quality = *frame.mutable_quality();
  quality.set_lag_s(0.5);
  quality.set_lost(7);
  quality.set_unknown_share(0.125);
  quality.set_open_waits(3);
  pb::LiveRequests& requests = *frame.mutable_requests();
  requests.set_finished_per_s(40);
  requests.set_median_s(0.25);
  requests.set_p99_s(0.5);
  requests.set_open(2);
  pb::LiveNode& node = *frame.add_nodes();
  node.set_name("web1");
  node.set_state("follows");
  node.set_recorder_cpu(0.02);
  pb::LiveNode& gone = *frame.add_nodes();
  gone.set_name("web2");
  gone.set_state("lost");
  return frame;
}

Exposition Read(const LiveMetrics& metrics, MetricsFormat format = MetricsFormat::kOpenMetrics) {
  Exposition read = ReadExposition(metrics.Text(format), format);
  EXPECT_EQ(read.fault, "");
  return read;
}

TEST(LiveMetrics, BothFormatsTellTheSameSamples) {
  LiveMetrics metrics;
  metrics.Add(FullFrame(), kWindowNs);
  metrics.SetRules({{.rule = "slow", .fired = 2, .failed = 1}});
  const Exposition open = Read(metrics, MetricsFormat::kOpenMetrics);
  const Exposition text = Read(metrics, MetricsFormat::kText);
  EXPECT_EQ(open.samples, text.samples);
  EXPECT_EQ(open.units.at("gordian_wait_seconds"), "seconds");
  EXPECT_EQ(open.types.at("gordian_wait_seconds"), "counter");
  EXPECT_EQ(text.types.at("gordian_wait_seconds_total"), "counter");
  EXPECT_THAT(text.units, IsEmpty());
}

TEST(LiveMetrics, AFrameIsToldWhole) {
  LiveMetrics metrics;
  metrics.Add(FullFrame(), kWindowNs);
  metrics.SetRules({{.rule = "slow", .fired = 2, .failed = 1}});
  const auto samples = Read(metrics).samples;
  const std::string members = "kind=\"knot\",members=\"worker (4 threads), db\"";
  EXPECT_EQ(samples.at("gordian_limit_ratio{" + members + "}"), 0.4);
  EXPECT_EQ(samples.at("gordian_limit_held_seconds{" + members + "}"), 4);
  EXPECT_EQ(samples.at("gordian_limit_gain_bound{" + members + "}"), 1.7);
  EXPECT_EQ(samples.at("gordian_participation_ratio{vertex=\"db\"}"), 0.75);
  EXPECT_EQ(samples.at("gordian_participation_ratio{vertex=\"other\"}"), 0.25);
  EXPECT_EQ(samples.at("gordian_cpus_busy{node=\"web1\"}"), 1.5);
  EXPECT_EQ(samples.at("gordian_cpus{node=\"web1\"}"), 4);
  const std::string disk = "{device=\"vda\",kind=\"disk\",node=\"web1\"}";
  EXPECT_EQ(samples.at("gordian_device_busy_ratio" + disk), 0.9);
  EXPECT_EQ(samples.at("gordian_device_bytes_per_second" + disk), 1e6);
  EXPECT_EQ(samples.at("gordian_lag_seconds"), 0.5);
  EXPECT_EQ(samples.at("gordian_lost_records_total"), 7);
  EXPECT_EQ(samples.at("gordian_unknown_ratio"), 0.125);
  EXPECT_EQ(samples.at("gordian_open_waits"), 3);
  EXPECT_EQ(samples.at("gordian_finished_requests_per_second"), 40);
  EXPECT_EQ(samples.at("gordian_request_median_seconds"), 0.25);
  EXPECT_EQ(samples.at("gordian_request_p99_seconds"), 0.5);
  EXPECT_EQ(samples.at("gordian_open_requests"), 2);
  EXPECT_EQ(samples.at("gordian_node_up{node=\"web1\"}"), 1);
  EXPECT_EQ(samples.at("gordian_node_up{node=\"web2\"}"), 0);
  EXPECT_EQ(samples.at("gordian_recorder_cpus{node=\"web1\"}"), 0.02);
  EXPECT_EQ(samples.at("gordian_frames_total"), 1);
  EXPECT_EQ(samples.at("gordian_rule_fired_total{rule=\"slow\"}"), 2);
  EXPECT_EQ(samples.at("gordian_rule_failed_total{rule=\"slow\"}"), 1);
}

TEST(LiveMetrics, ATargetThatAnswersNothingHasNoRequests) {
  pb::LiveFrame frame = FullFrame();
  frame.clear_requests();
  LiveMetrics metrics;
  metrics.Add(frame, kWindowNs);
  EXPECT_FALSE(Read(metrics).samples.contains("gordian_finished_requests_per_second"));
}

TEST(LiveMetrics, TheDevicesOfAnOnlyNodeHaveItsName) {
  pb::LiveFrame frame = FrameTo(10);
  frame.add_nodes()->set_name("web1");
  pb::LiveResource& cpus = *frame.add_resources();
  cpus.set_what("cpus");
  cpus.set_use(1);
  LiveMetrics metrics;
  metrics.Add(frame, kWindowNs);
  EXPECT_EQ(Read(metrics).samples.at("gordian_cpus_busy{node=\"web1\"}"), 1);
}

TEST(LiveMetrics, NothingIsToldBeforeTheFirstFrame) {
  const auto samples = Read(LiveMetrics()).samples;
  EXPECT_EQ(samples.at("gordian_frames_total"), 0);
}

TEST(LiveMetrics, AFrameWithoutAFindingHasALimitOfNone) {
  LiveMetrics metrics;
  metrics.Add(FullFrame(), kWindowNs);
  metrics.Add(FrameTo(21), kWindowNs);
  const Exposition read = Read(metrics);
  EXPECT_THAT(read.Of("gordian_limit_ratio"),
              ElementsAre("gordian_limit_ratio{kind=\"none\",members=\"\"}"));
  EXPECT_THAT(read.Of("gordian_limit_held_seconds"), IsEmpty());
  EXPECT_THAT(read.Of("gordian_participation_ratio"), IsEmpty());
}

// A thread that waits all the time: each second adds one, however long the frames are.
TEST(LiveMetrics, AWaitCountsOnceAlthoughFramesOverlap) {
  LiveMetrics metrics;
  constexpr int kSeconds = 100;
  for (int second = 1; second <= kSeconds; ++second) {
    pb::LiveFrame frame = FrameTo(second);
    AddWait(frame, "a", "b", frame.to_s() - frame.from_s());
    metrics.Add(frame, kWindowNs);
  }
  // But for half the window at the end.
  EXPECT_THAT(Read(metrics).samples.at("gordian_wait_seconds_total{from=\"a\",to=\"b\"}"),
              DoubleNear(kSeconds - 4.5, 0.2));
}

// One wait of a second, seen by frames of different steps.
TEST(LiveMetrics, OneWaitAddsItsLengthWhateverTheStepsAre) {
  for (const double step_s : {1.0, 2.0, 5.0, 10.0}) {
    LiveMetrics metrics;
    for (double to_s = 10; to_s <= 60; to_s += step_s) {
      pb::LiveFrame frame = FrameTo(to_s);
      const bool holds_it = frame.from_s() <= 20 && to_s > 20;  // the second before 20.5
      if (holds_it) AddWait(frame, "a", "b", 1);
      metrics.Add(frame, kWindowNs);
    }
    EXPECT_THAT(Read(metrics).samples.at("gordian_wait_seconds_total{from=\"a\",to=\"b\"}"),
                DoubleNear(1, 1e-9))
        << step_s;
  }
}

TEST(LiveMetrics, TimeBetweenFramesIsToldAsUnseen) {
  LiveMetrics metrics;
  metrics.Add(FrameTo(10), kWindowNs);
  pb::LiveFrame frame = FrameTo(50);
  AddWait(frame, "a", "b", 5);
  metrics.Add(frame, kWindowNs);
  const auto samples = Read(metrics).samples;
  EXPECT_EQ(samples.at("gordian_unseen_seconds_total"), 30);
  EXPECT_EQ(samples.at("gordian_wait_seconds_total{from=\"a\",to=\"b\"}"), 5);
}

TEST(LiveMetrics, WaitsBeyondTheListAreOther) {
  LiveMetrics metrics;
  metrics.Add(FrameTo(10), kWindowNs);
  pb::LiveFrame frame = FrameTo(20);
  frame.set_other_waits_s(3);
  metrics.Add(frame, kWindowNs);
  EXPECT_EQ(Read(metrics).samples.at("gordian_wait_seconds_total{from=\"other\",to=\"other\"}"), 3);
}

TEST(LiveMetrics, CountersNeverShrink) {
  LiveMetrics metrics;
  pb::LiveFrame frame = FrameTo(10);
  frame.mutable_quality()->set_lost(9);
  metrics.Add(frame, kWindowNs);
  frame = FrameTo(5);  // and a clock that jumps back
  frame.mutable_quality()->set_lost(2);
  AddWait(frame, "a", "b", 1);
  metrics.Add(frame, kWindowNs);
  const auto samples = Read(metrics).samples;
  EXPECT_EQ(samples.at("gordian_lost_records_total"), 9);
  EXPECT_EQ(samples.at("gordian_wait_seconds_total{from=\"a\",to=\"b\"}"), 0);
}

TEST(LiveMetrics, HostileNamesForgeNoLine) {
  const std::vector<std::string> names = {"a\"} 1\ngordian_lag_seconds 99",
                                          "back\\slash\\",
                                          "\xff\xfe\xc3",
                                          "\xe2\x80\xaeright to left",
                                          std::string("nul\0nul", 7),
                                          std::string(5000, '"'),
                                          "",
                                          "# EOF",
                                          "tab\tand\rreturn",
                                          "other"};
  LiveMetrics metrics;
  pb::LiveFrame frame = FullFrame();
  for (const std::string& name : names) {
    AddWait(frame, name, name, 1);
    pb::LiveNode& node = *frame.add_nodes();
    node.set_name(name);
    pb::LiveResource& device = *frame.add_resources();
    device.set_what("cpus");
    device.set_node(name);
    frame.mutable_findings(0)->add_members(name);
  }
  for (const MetricsFormat format : {MetricsFormat::kOpenMetrics, MetricsFormat::kText}) {
    metrics.Add(frame, kWindowNs);
    EXPECT_EQ(Read(metrics, format).samples.at("gordian_lag_seconds"), 0.5);
  }
}

TEST(LiveMetrics, NumbersThatAreNoneBreakNothing) {
  LiveMetrics metrics;
  pb::LiveFrame frame = FullFrame();
  frame.mutable_findings(0)->set_share(std::numeric_limits<double>::quiet_NaN());
  frame.mutable_quality()->set_lag_s(std::numeric_limits<double>::infinity());
  metrics.Add(frame, kWindowNs);
  EXPECT_TRUE(std::isinf(Read(metrics).samples.at("gordian_lag_seconds")));
}

TEST(LiveMetrics, AFamilyHasNoMoreSeriesThanItsBound) {
  LiveMetrics metrics;
  for (int second = 1; second < 100; ++second) {
    pb::LiveFrame frame = FrameTo(second);
    for (int i = 0; i < 50; ++i) {
      const std::string name = "thread " + std::to_string(second * 50 + i);
      AddWait(frame, name, "b", 1);
      pb::LiveVertex& vertex = *frame.add_vertices();
      vertex.set_label(name);
      vertex.set_participation(0.02);
      pb::LiveResource& device = *frame.add_resources();
      device.set_what("net");
      device.set_name(name);
      device.set_bytes_per_s(1);
    }
    metrics.Add(frame, kWindowNs);
  }
  const Exposition read = Read(metrics);
  EXPECT_THAT(read.Of("gordian_wait_seconds_total"), SizeIs(101));
  EXPECT_THAT(read.Of("gordian_participation_ratio"), ElementsAre(HasSubstr("other")));
  EXPECT_THAT(read.Of("gordian_device_bytes_per_second"), ElementsAre(HasSubstr("other")));
}

TEST(MetricsFormat, IsOpenMetricsOnlyForReadersThatNameIt) {
  EXPECT_EQ(AcceptedFormat(""), MetricsFormat::kText);
  EXPECT_EQ(AcceptedFormat("*/*"), MetricsFormat::kText);
  EXPECT_EQ(AcceptedFormat("text/plain;version=0.0.4"), MetricsFormat::kText);
  EXPECT_EQ(AcceptedFormat("application/openmetrics-text;version=1.0.0,"
                           "application/openmetrics-text;version=0.0.1;q=0.75,"
                           "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            MetricsFormat::kOpenMetrics);
  EXPECT_EQ(AcceptedFormat("text/plain, Application/OpenMetrics-Text ; q=0.1"),
            MetricsFormat::kOpenMetrics);
  EXPECT_EQ(AcceptedFormat("application/openmetrics-text;q=0"), MetricsFormat::kText);
  EXPECT_EQ(AcceptedFormat("application/openmetrics-textual"), MetricsFormat::kText);
  EXPECT_EQ(AcceptedFormat(";;;,,,;q=,"), MetricsFormat::kText);
}

}  // namespace
}  // namespace gordian
