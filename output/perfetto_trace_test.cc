// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "output/perfetto.pb.h"
#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

struct Bytes {
  std::string text;
  PerfettoTrace::Sink Sink() {
    return [this](std::string_view part) { text += part; };
  }
  perfetto::Trace Decoded() const {
    perfetto::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(text));
    return trace;
  }
};

// "B run@10", "E@20", "I wakes x@5" per track, with arrows: +n leaves, -n arrives.
std::map<uint64_t, std::vector<std::string>> Events(const perfetto::Trace& trace) {
  std::map<uint64_t, std::string> names;
  std::map<uint64_t, std::vector<std::string>> events;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    EXPECT_EQ(packet.trusted_packet_sequence_id(), 1u);
    for (const auto& name : packet.interned_data().event_names()) names[name.iid()] = name.name();
    if (!packet.has_track_event()) continue;
    const perfetto::TrackEvent& event = packet.track_event();
    std::string text = event.type() == perfetto::TrackEvent::SLICE_BEGIN ? "B "
                       : event.type() == perfetto::TrackEvent::INSTANT   ? "I "
                                                                         : "E";
    if (event.name_iid() != 0) text += names.at(event.name_iid());
    text += event.name() + "@" + std::to_string(packet.timestamp());
    for (const uint64_t flow : event.flow_ids()) text += " +" + std::to_string(flow);
    for (const uint64_t flow : event.terminating_flow_ids()) text += " -" + std::to_string(flow);
    events[event.track_uuid()].push_back(text);
  }
  return events;
}

TEST(PerfettoTrace, StatesAreSlicesAndAWakeIsAnArrowFromTheWaker) {
  Bytes bytes;
  PerfettoTrace trace(bytes.Sink());
  trace.AddThread(0, 11, 10, "A", "figure1");
  trace.AddThread(1, 12, 10, "B", "figure1");
  trace.AddState(0, 100, 200, "waits for B", 0);
  const uint64_t arrow = trace.AddWake(1, 200, "A");
  trace.AddState(0, 200, 250, "run", arrow);
  trace.AddState(1, 100, 300, "run", 0);

  const perfetto::Trace decoded = bytes.Decoded();
  const auto events = Events(decoded);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_THAT(events.begin()->second,
              ElementsAre("B waits for B@100", "E@200", "B run@200 -1", "E@250"));
  EXPECT_THAT(events.rbegin()->second, ElementsAre("I wakes A@200 +1", "B run@100", "E@300"));
  // The first packet clears what a reader may remember; one track for the process, one for each
  // thread.
  EXPECT_EQ(decoded.packet(0).sequence_flags(), 1u);
  int processes = 0, threads = 0;
  for (const auto& packet : decoded.packet()) {
    processes += packet.track_descriptor().has_process();
    threads += packet.track_descriptor().has_thread();
  }
  EXPECT_EQ(processes, 1);
  EXPECT_EQ(threads, 2);
}

TEST(PerfettoTrace, FindingsAreNestedOverTheRecording) {
  Bytes bytes;
  PerfettoTrace(bytes.Sink()).AddFindings(TestReport("lossy"), 1000, 2000);
  const auto events = Events(bytes.Decoded());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(
      events.begin()->second,
      ElementsAre("B kworker/55 and kworker/56 wait for each other in the background.@1000",
                  ::testing::StartsWith("B The 2 postgres backends"),
                  ::testing::StartsWith("B The disk nvme0n1"), "E@2000", "E@2000", "E@2000"));
}

TEST(PerfettoTrace, NamesAreValidText) {
  Bytes bytes;
  PerfettoTrace trace(bytes.Sink());
  trace.AddThread(0, 1, 1, "\xff\n", "\x1b");
  trace.AddDevice(1, "\xc3");
  trace.AddState(0, 1, 2, "waits for \xff", 0);
  const perfetto::Trace decoded = bytes.Decoded();  // parsing checks proto3's strings
  for (const auto& packet : decoded.packet()) {
    EXPECT_EQ(packet.track_descriptor().thread().thread_name().find('\n'), std::string::npos);
  }
  const auto events = Events(decoded);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events.begin()->second, ElementsAre("B waits for \uFFFD@1", "E@2"));
}

}  // namespace
}  // namespace gordian
