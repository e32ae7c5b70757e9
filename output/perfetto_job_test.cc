// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "jobs/attribution/test_jobs.h"
#include "output/perfetto.pb.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// By track's path: "0 1.5" (ms, number) or "0-200 /Job/Load" (ms).
std::map<std::string, std::vector<std::string>> Tracks(const Job& job) {
  JobOptions options;
  options.attribution.slice_ns = MsToNs(100);
  const auto analysis = AnalyzeJob(job, {}, options);
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  std::string bytes;
  PerfettoTrace trace([&bytes](std::string_view part) { bytes += part; });
  WritePerfettoJob(*analysis, nullptr, trace);
  perfetto::Trace decoded;
  EXPECT_TRUE(decoded.ParseFromString(bytes));

  std::map<uint64_t, std::string> names;
  std::map<uint64_t, std::string> words;
  std::map<uint64_t, std::string> open;
  std::map<std::string, std::vector<std::string>> tracks;
  for (const perfetto::TracePacket& packet : decoded.packet()) {
    if (packet.has_track_descriptor()) {
      const auto& track = packet.track_descriptor();
      const std::string above = names[track.parent_uuid()];
      names[track.uuid()] = above.empty() ? track.name() : above + ": " + track.name();
      tracks[names[track.uuid()]];
    }
    for (const auto& name : packet.interned_data().event_names()) words[name.iid()] = name.name();
    if (!packet.has_track_event()) continue;
    const perfetto::TrackEvent& event = packet.track_event();
    const uint64_t ms = packet.timestamp() / MsToNs(1);
    std::vector<std::string>& events = tracks[names[event.track_uuid()]];
    if (event.type() == perfetto::TrackEvent::COUNTER)
      events.push_back(absl::StrCat(ms, " ", event.double_counter_value()));
    if (event.type() == perfetto::TrackEvent::SLICE_BEGIN)
      open[event.track_uuid()] = absl::StrCat(ms, "-@ ", words[event.name_iid()]);
    if (event.type() == perfetto::TrackEvent::SLICE_END) {
      std::string text = open[event.track_uuid()];
      text.replace(text.find('@'), 1, std::to_string(ms));
      events.push_back(text);
    }
  }
  return tracks;
}

// Load, then two Sorts side by side, on two CPUs of which Load wants one.
Job LoadAndSorts() {
  JobBuilder job;
  job.Type("Job");
  job.Type("Load", 0);
  job.Type("Sort", 0, PhaseRepeat::kConcurrent, {1});
  const ResourceId cpu = job.Consumable("cpu", 2);
  job.Rule(0, cpu, RuleKind::kNone);
  job.Rule(1, cpu, RuleKind::kExact, 0.5);
  job.Rule(2, cpu, RuleKind::kVariable, 1);
  job.Add(0, kNoId, 0, 500);
  job.Add(1, 0, 0, 200);
  job.Add(2, 0, 300, 500, "a");
  job.Add(2, 0, 300, 400, "b");
  job.Sample(cpu, 0, 200, 1);
  job.Sample(cpu, 300, 500, 1.5);
  return job.Build();
}

TEST(PerfettoJob, PhasesAreSlicesOnATrackOfTheirTypeOrSeveral) {
  auto tracks = Tracks(LoadAndSorts());
  EXPECT_THAT(tracks["Phases: /Job"], ElementsAre("0-500 /Job"));
  EXPECT_THAT(tracks["Phases: /Job/Load"], ElementsAre("0-200 /Job/Load"));
  EXPECT_THAT(tracks["Phases: /Job/Sort"],
              ElementsAre("300-500 /Job/Sort[a]", "300-400 /Job/Sort[b]"));
}

// The sample of 1.5 CPUs is spread by demand: while two sort, both CPUs are used.
TEST(PerfettoJob, ResourcesAreNumbersOverTime) {
  auto tracks = Tracks(LoadAndSorts());
  EXPECT_THAT(tracks["cpu: use"], ElementsAre("0 1", "200 0", "300 2", "400 1", "500 0"));
  EXPECT_THAT(tracks["cpu: capacity"], ElementsAre("0 2", "500 0"));
  EXPECT_THAT(tracks["cpu: exact demand"], ElementsAre("0 1", "200 0"));
  EXPECT_THAT(tracks["cpu: weight of the others"], ElementsAre("300 2", "400 1", "500 0"));
  EXPECT_THAT(tracks["cpu: use by /Job/Load"], ElementsAre("0 1", "200 0"));
  EXPECT_THAT(tracks["cpu: use by /Job/Sort"], ElementsAre("300 2", "400 1", "500 0"));
}

TEST(PerfettoJob, OfAnEmptyJobHasNoSlices) {
  auto tracks = Tracks(Job());
  EXPECT_THAT(tracks["Phases"], IsEmpty());
}

}  // namespace
}  // namespace gordian
