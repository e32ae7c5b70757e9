// SPDX-License-Identifier: Apache-2.0
// A recording whose reading was stopped is, in all that can be asked of it, a recording that ended
// then: for any recording, blocks, windows, threads and moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "bench/trace_generator.h"
#include "tests/support/trace_builder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// All that stages behind the reading look at.
std::vector<std::string> AllOf(const Timeline& timeline) {
  const WaitForGraph graph = BuildWaitForGraph(timeline, {.threads = 1});
  std::vector<std::string> all = ResultsOf(timeline, graph);
  all.push_back(absl::StrCat("from ", timeline.start_ns(), " to ", timeline.end_ns(), ", ",
                             timeline.events(), " events, ", timeline.lost(), " lost"));
  for (const Entity& entity : timeline.entities())
    all.push_back(absl::StrCat(entity.name, " of ", entity.process_name, " by ", entity.parent_tid,
                               ", from ", entity.begin_ns, " to ", entity.end_ns, ": ",
                               entity.run_ns, " ", entity.runnable_ns, " ", entity.wait_ns, " ",
                               entity.spin_ns, " ", entity.unknown_ns));
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    all.push_back(absl::StrCat("creator ", timeline.creator(thread), ", exit ",
                               timeline.exit_ns(thread), timeline.ended(thread) ? ", ended" : ""));
  // Packets at the same time are in any order.
  const size_t first_record = all.size();
  for (const BlockRecord& record : timeline.block_records())
    all.push_back(absl::StrCat("request ", record.time_ns, " ", record.device, " ", record.sector,
                               " ", record.service_ns, " of ", record.thread));
  for (const PacketRecord& packet : timeline.packet_rows().front())
    all.push_back(
        absl::StrCat("packet ", packet.time_ns, " of ", packet.thread, " ", packet.bytes));
  for (const PacketWake& wake : timeline.packet_wakes())
    all.push_back(absl::StrCat("wake ", wake.time_ns, " of ", wake.thread));
  std::sort(all.begin() + static_cast<ptrdiff_t>(first_record), all.end());
  for (const NamedCount& count : timeline.counters())
    all.push_back(absl::StrCat(std::string(count.name), " = ", count.value));
  return all;
}

// The first line in which they differ; empty if they are the same.
std::string Difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string of_a = i < a.size() ? a[i] : "nothing";
    const std::string of_b = i < b.size() ? b[i] : "nothing";
    if (of_a != of_b) return absl::StrCat(of_a, "\n", of_b);
  }
  return "";
}

void CutAt(uint64_t time_ns, EventBlock& block) {
  std::erase_if(block.events, [&](const TraceEvent& event) { return event.time_ns >= time_ns; });
}

Scenario Until(Scenario scenario, uint64_t time_ns) {
  CutAt(time_ns, scenario.tasks);
  for (EventBlock& block : scenario.cpus) CutAt(time_ns, block);
  scenario.session.set_end_time_ns(time_ns);
  return scenario;
}

// The order of requests to disks at the same time is chance: that of blocks. Only one of them
// stays.
Scenario WithoutRequestsAtOnce(Scenario scenario) {
  std::set<uint64_t> times_ns;
  for (EventBlock& block : scenario.cpus)
    std::erase_if(block.events, [&](const TraceEvent& event) {
      const bool is_request =
          event.kind == EventKind::kBlockIssue || event.kind == EventKind::kBlockComplete;
      return is_request && !times_ns.insert(event.time_ns).second;
    });
  return scenario;
}

// With a session that is there as long as the object.
class Recorded {
 public:
  Recorded(const Scenario& scenario, size_t events_per_block) {
    WriteScenario(scenario, directory_ / "s", events_per_block);
  }
  Timeline Load(const TimelineOptions& options) const {
    const auto session = SessionReader::Open(directory_ / "s");
    EXPECT_TRUE(session.ok()) << session.status();
    auto timeline = LoadTimeline(**session, options);
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    return *std::move(timeline);
  }

 private:
  TemporaryDirectory directory_;
};

struct Stopped {
  bool was_asked = false;
  uint64_t at_ns = 0;
  std::vector<std::string> all;
};

// Stops when it is asked for the `turns`-th time.
Stopped StopAfter(int turns, const Recorded& recorded, TimelineOptions options) {
  Stopped stopped;
  options.keep_reading = [&](const ReadSoFar& so_far) {
    if (--turns > 0) return true;
    stopped.was_asked = true;
    stopped.at_ns = so_far.until_ns;
    EXPECT_GT(so_far.share, 0);
    EXPECT_LT(so_far.share, 1);
    return false;
  };
  const Timeline timeline = recorded.Load(options);
  EXPECT_EQ(timeline.unread_ns() > 0, stopped.was_asked);
  if (stopped.was_asked) {
    EXPECT_EQ(timeline.end_ns(), stopped.at_ns);
  }
  stopped.all = AllOf(timeline);
  return stopped;
}

RC_GTEST_PROP(StoppedReading, IsThatOfARecordingThatEndedThen, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const Scenario scenario =
      WithoutRequestsAtOnce(ParseScenario(RandomScenario(seed, *rc::gen::inRange(20, 400))));
  const Recorded recorded(scenario, *rc::gen::inRange<size_t>(1, 60));
  const TimelineOptions options{.threads = *rc::gen::inRange(1, 3),
                                .events_per_window = *rc::gen::inRange<size_t>(1, 12),
                                .keep_packet_wakes = true};
  const Stopped stopped = StopAfter(*rc::gen::inRange(1, 12), recorded, options);
  if (!stopped.was_asked) {
    RC_ASSERT(stopped.all == AllOf(recorded.Load(options)));
    return;
  }
  const Recorded ended(Until(scenario, stopped.at_ns), 7);
  RC_ASSERT(Difference(stopped.all, AllOf(ended.Load(options))) == "");
  // The same by a time that is known before.
  TimelineOptions until = options;
  until.until_ns = stopped.at_ns;
  until.events_per_window = *rc::gen::inRange<size_t>(1, 12);
  RC_ASSERT(Difference(stopped.all, AllOf(recorded.Load(until))) == "");
}

TEST(StoppedReadingOfALargeRecording, IsThatOfOneThatEndedThen) {
  TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 200'000, .threads = 48, .cpus = 5}, directory / "s").ok());
  const auto load = [&](const TimelineOptions& options) {
    const auto session = SessionReader::Open(directory / "s");
    EXPECT_TRUE(session.ok());
    return AllOf(*LoadTimeline(**session, options));
  };
  uint64_t stopped_at_ns = 0;
  const auto stopped =
      load({.threads = 2, .events_per_window = 777, .keep_reading = [&](const ReadSoFar& so_far) {
              stopped_at_ns = so_far.until_ns;
              return so_far.share < 0.3;
            }});
  EXPECT_TRUE(stopped == load({.threads = 1, .until_ns = stopped_at_ns}));
  EXPECT_FALSE(stopped == load({.threads = 1, .until_ns = stopped_at_ns + 1'000'000}));
}

// A sample stands just behind its event, or just before; so a moment may lie between the two.
testing::TraceBuilder SampledTrace(uint64_t end_ns) {
  testing::TraceBuilder t;
  t.Thread(1, "one").Thread(2, "two");
  const uint32_t stack = t.AddStack({"schedule"}, {{.function = "Wait"}});
  t.At(0).Cpu(0).Run(1).Cpu(1).Run(2);
  const auto until = [&](uint64_t time_ns) {
    t.At(std::min(time_ns, end_ns));
    return time_ns < end_ns;
  };
  for (uint64_t begin_ns = 100; begin_ns < 4'000; begin_ns += 20) {
    if (!until(begin_ns)) break;
    t.Cpu(0).Block();
    if (!until(begin_ns + 3)) break;
    t.AddStackSample(1, StackMoment::kWait, stack);
    if (!until(begin_ns + 7)) break;
    t.Cpu(1).Wake(1);
    if (!until(begin_ns + 9)) break;
    t.AddStackSample(1, StackMoment::kWake, stack);
    t.AddStackSample(2, StackMoment::kCpu, stack);
    if (!until(begin_ns + 11)) break;
    t.Cpu(0).Run(1);
  }
  return t;
}

std::vector<std::string> SamplesOf(const Timeline& timeline) {
  std::vector<std::string> all;
  for (const StackSample& sample : timeline.stack_samples())
    all.push_back(absl::StrCat(static_cast<uint64_t>(sample.since_start_ns), " ", sample.thread,
                               " ", static_cast<uint64_t>(sample.moment_value)));
  std::sort(all.begin(), all.end());  // in order of blocks
  for (const NamedCount& count : timeline.counters())
    all.push_back(absl::StrCat(std::string(count.name), " = ", count.value));
  return all;
}

TEST(StoppedReading, KeepsTheSamplesThatStoodBeforeThatMoment) {
  TemporaryDirectory directory;
  constexpr size_t kEventsPerBlock = 13;  // a sample in another block than its event has none
  ASSERT_TRUE(SampledTrace(10'000).WriteSession(directory / "whole", kEventsPerBlock).ok());
  const auto load = [&](const std::string& name, const TimelineOptions& options) {
    const auto session = SessionReader::Open(directory / name);
    EXPECT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session, options);
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    return *std::move(timeline);
  };
  for (int turns = 1; turns < 30; ++turns) {
    int left = turns;
    uint64_t stopped_ns = 0;
    const Timeline stopped =
        load("whole",
             {.threads = 1, .events_per_window = 7, .keep_reading = [&](const ReadSoFar& so_far) {
                stopped_ns = so_far.until_ns;
                return --left > 0;
              }});
    ASSERT_GT(stopped.unread_ns(), 0u) << turns;
    const std::string name = absl::StrCat("until ", stopped_ns);
    ASSERT_TRUE(SampledTrace(stopped_ns - stopped.start_ns())
                    .WriteSession(directory / name, kEventsPerBlock)
                    .ok());
    const Timeline ended = load(name, {.threads = 1});
    EXPECT_EQ(stopped.end_ns(), ended.end_ns());
    EXPECT_EQ(SamplesOf(stopped), SamplesOf(ended)) << turns;
  }
}

// A block that goes on where reading stops is read again, and is no more what it was.
TEST(StoppedReading, CountsABlockThatIsGoneWhenItIsReadAgain) {
  TemporaryDirectory directory;
  ASSERT_TRUE(SampledTrace(10'000).WriteSession(directory / "s", 1000).ok());
  const auto session = SessionReader::Open(directory / "s");
  ASSERT_TRUE(session.ok());
  const auto timeline = LoadTimeline(
      **session, {.threads = 1, .events_per_window = 7, .keep_reading = [&](const auto&) {
                    std::filesystem::resize_file(directory / "s/cpu-000.trace", 1);
                    return false;
                  }});
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_GT(timeline->unread_ns(), 0u);
  EXPECT_EQ((*session)->damage().corrupt_blocks, 1u);
}

TEST(StoppedReadingOfALargeRecording, IsNotAskedForBehindTheLastEvent) {
  TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 20'000, .threads = 8, .cpus = 2}, directory / "s").ok());
  const auto session = SessionReader::Open(directory / "s");
  ASSERT_TRUE(session.ok());
  const auto timeline = LoadTimeline(**session, {.keep_reading = [](const ReadSoFar&) {
    ADD_FAILURE() << "one group of windows holds all";
    return true;
  }});
  ASSERT_TRUE(timeline.ok());
  EXPECT_EQ(timeline->unread_ns(), 0u);
}

}  // namespace
}  // namespace gordian
