// SPDX-License-Identifier: Apache-2.0
// The latest part of a recording that is followed is that of the timeline of a recording that ended
// there.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "analyzer/timeline/recent_timeline.h"
#include "bench/trace_generator.h"
#include "trace/session_reader.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using Lines = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> NamesIn(const Timeline& timeline) {
  std::vector<std::string> names;
  for (const Entity& entity : timeline.entities()) {
    names.push_back(entity.kind == EntityKind::kThread
                        ? absl::StrCat(entity.tid, " ", entity.start_time_ns, " ", entity.name, " ",
                                       entity.process_name, " ", entity.command, " ",
                                       entity.container)
                        : absl::StrCat(entity.name, " ", entity.device));
  }
  return names;
}

// It may be mentioned in a block that was read, and not be known otherwise.
bool IsUnheardOf(const Timeline& timeline, EntityId thread) {
  const Entity& entity = timeline.entities()[thread];
  return entity.tgid == 0 && entity.unknown_ns == entity.end_ns - entity.begin_ns;
}

// Of all threads that live from from_ns on: what they did since.
// Samples just before the end may be of waits or wakes that are told behind it.
Lines LinesFrom(const Timeline& timeline, uint64_t from_ns, uint64_t window_ns) {
  const std::vector<std::string> names = NamesIn(timeline);
  const auto name = [&](EntityId id) { return id == kNobody ? "nobody" : names[id]; };
  Lines lines;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (entity.end_ns <= from_ns) continue;
    if (IsUnheardOf(timeline, thread)) continue;
    // A tid's first event may tell of several lives with one name.
    std::vector<std::string>& its = lines[absl::StrCat(names[thread], " from ", entity.begin_ns)];
    its.push_back(absl::StrCat("until ", entity.end_ns, timeline.ended(thread) ? " ended" : "",
                               " target ", entity.target, " run ", entity.run_ns, " runnable ",
                               entity.runnable_ns, " wait ", entity.wait_ns, " spin ",
                               entity.spin_ns, " unknown ", entity.unknown_ns, " exit ",
                               timeline.exit_ns(thread), " by ", name(timeline.creator(thread))));
    for (const Program& program : timeline.programs(thread))
      its.push_back(absl::StrCat(program.start_ns, " ", program.name, " ", program.command));
    for (auto at = timeline.SegmentsFrom(thread, from_ns); !at.done(); at.Next()) {
      if (at.end_ns() <= from_ns) continue;
      const ThreadSegment& segment = at.segment();
      its.push_back(absl::StrCat(at.start_ns(), "-", at.end_ns(), " kind ", segment.kind, " by ",
                                 name(segment.waker), " state ", segment.state, " cause ",
                                 segment.cause, segment.open_start ? " begun" : "",
                                 segment.open_end ? " open" : ""));
    }
  }
  for (const BlockRecord& record : timeline.block_records())
    if (record.time_ns >= from_ns)
      lines["requests"].push_back(
          absl::StrCat(record.time_ns, " ", record.sector, " ", name(record.thread)));
  for (const PacketRecord& record : timeline.packet_rows()[0])
    if (record.time_ns >= from_ns)
      lines["packets"].push_back(
          absl::StrCat(record.time_ns, " ", record.bytes, " ", name(record.thread)));
  for (const PacketWake& wake : timeline.packet_wakes())
    if (wake.time_ns >= from_ns)
      lines["wakes"].push_back(absl::StrCat(wake.time_ns, " ", wake.flow_id, name(wake.thread)));
  for (const StackSample& sample : timeline.stack_samples())
    if (timeline.start_ns() + sample.since_start_ns >= from_ns &&
        timeline.start_ns() + sample.since_start_ns + window_ns < timeline.end_ns())
      lines["samples"].push_back(
          absl::StrCat(sample.since_start_ns, " ", sample.stack_id, name(sample.thread)));
  if (lines.contains("samples")) std::sort(lines["samples"].begin(), lines["samples"].end());
  return lines;
}

std::string FirstDifferenceOf(const Lines& expected, const Lines& found) {
  for (const auto& [name, lines] : expected) {
    const auto same = found.find(name);
    if (same == found.end()) return name + " is missing";
    for (size_t i = 0; i < std::max(lines.size(), same->second.size()); ++i) {
      const std::string a = i < lines.size() ? lines[i] : "nothing";
      const std::string b = i < same->second.size() ? same->second[i] : "nothing";
      if (a != b) return absl::StrCat(name, " ", i, ": ", a, " / ", b);
    }
  }
  for (const auto& [name, lines] : found)
    if (!expected.contains(name)) return name + " is too much";
  return "";
}

// Behind each window the kept part equals that of the recording that is cut there.
std::string FollowAndCompare(const std::string& directory, uint64_t window_ns, uint64_t keep_ns,
                             size_t& windows) {
  auto stream = TimelineStream::Follow(directory, {.window_ns = window_ns, .threads = 2});
  if (!stream.ok()) return stream.status().ToString();
  RecentTimeline recent(*std::move(stream), keep_ns);
  for (windows = 0;; ++windows) {
    const auto advanced = recent.Advance();
    if (!advanced.ok()) return advanced.status().ToString();
    if (!*advanced) return "";
    const auto session = SessionReader::Open(directory);
    const bool is_last = recent.stream().ended();
    const auto cut = Timeline::Load(
        **session,
        {.threads = 1,
         .keep_packet_wakes = true,
         .until_ns = is_last ? std::numeric_limits<uint64_t>::max() : recent.until_ns()},
        {});
    if (!cut.ok()) return cut.status().ToString();
    const Timeline made = recent.Make();
    const std::string difference = FirstDifferenceOf(LinesFrom(*cut, recent.from_ns(), window_ns),
                                                     LinesFrom(made, recent.from_ns(), window_ns));
    if (!difference.empty())
      return absl::StrCat("at ", recent.until_ns(), " from ", recent.from_ns(), ": ", difference);
  }
}

RC_GTEST_PROP(RecentTimeline, IsThePartOfTheRecordingThatEndsThere, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario(RandomScenario(seed, 60)), directory / "s", 20);
  const uint64_t window_ns = *rc::gen::element(7, 20, 100);
  const uint64_t keep_ns = *rc::gen::element(1, 50, 100000);
  size_t windows = 0;
  RC_ASSERT(FollowAndCompare(directory / "s", window_ns, keep_ns, windows) == "");
}

TEST(RecentTimeline, OfALargeRecordingIsItsLatestPart) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 30'000, .threads = 24, .cpus = 3}, directory / "s").ok());
  size_t windows = 0;
  EXPECT_EQ(FollowAndCompare(directory / "s", 1'000'000, 4'000'000, windows), "");
  EXPECT_GT(windows, 3u);
}

}  // namespace
}  // namespace gordian
