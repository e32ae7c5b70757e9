// SPDX-License-Identifier: Apache-2.0
// The trace of the engine's scenario of Figure 1 (analyzer/testdata/figure1.txt): twenty
// nanoseconds in which A waits for B, B for vda, and vda for B.
#include "output/perfetto_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"
#include "output/perfetto.pb.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

TEST(PerfettoTimeline, HasEveryStateAndAnArrowForEveryWake) {
  const ScenarioTimeline scenario(ReadScenario(GORDIAN_SCENARIOS "/figure1.txt"));
  const Timeline& timeline = scenario.timeline();
  std::string bytes;
  pb::Report report;
  report.add_findings()->set_title("the limit");
  pb::PathStretch stretch;
  stretch.set_program("cc");
  stretch.set_pid(7);
  stretch.set_state("disk");
  stretch.set_start_s(5e-9);
  stretch.set_seconds(10e-9);
  *report.mutable_path()->add_stretches() = stretch;
  stretch.set_start_s(30e-9);  // past the range
  *report.mutable_path()->add_stretches() = stretch;
  PerfettoTrace writer([&bytes](std::string_view part) { bytes += part; });
  WritePerfettoTimeline(timeline, report, RangeOf(timeline.start_ns(), timeline.end_ns(), 0, 20),
                        writer);
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(bytes));
  std::map<uint64_t, std::string> names, tracks;
  std::map<std::string, std::vector<std::string>> events;
  int leaving = 0, arriving = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    for (const auto& name : packet.interned_data().event_names()) names[name.iid()] = name.name();
    const perfetto::TrackDescriptor& track = packet.track_descriptor();
    if (packet.has_track_descriptor())
      tracks[track.uuid()] = track.has_thread() ? track.thread().thread_name() : track.name();
    if (!packet.has_track_event()) continue;
    const perfetto::TrackEvent& event = packet.track_event();
    leaving += event.flow_ids_size();
    arriving += event.terminating_flow_ids_size();
    if (event.type() == perfetto::TrackEvent::SLICE_END) continue;
    events[tracks.at(event.track_uuid())].push_back(
        absl::StrCat(event.name_iid() != 0 ? names.at(event.name_iid()) : event.name(), "@",
                     packet.timestamp() - timeline.start_ns()));
  }
  EXPECT_THAT(events["Findings"], ElementsAre("the limit@0"));
  EXPECT_THAT(events["Critical path"], ElementsAre("cc/7: disk@5"));
  EXPECT_THAT(events["A"], ElementsAre("run@0", "waits for B/2@2", "run@10", "waits for B/2@12"));
  EXPECT_THAT(events["vda"], ElementsAre("wakes B/2@10"));
  EXPECT_EQ(leaving, 2);  // A and B at 10; those at 20 lie past the range
  EXPECT_EQ(arriving, 2);
}

}  // namespace
}  // namespace gordian
