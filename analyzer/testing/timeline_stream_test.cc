// SPDX-License-Identifier: Apache-2.0
// The windows of a stream, put together, are the timeline: every segment, request, packet and
// sample, to the nanosecond, however the recording is cut.
#include "analyzer/timeline/timeline_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/quarrels.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "bench/cluster_generator.h"
#include "bench/trace_generator.h"
#include "trace/node_sessions.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

std::string Text(const ThreadSegment& segment) {
  return absl::StrCat(segment.start_ns, " kind ", segment.kind, " waker ", segment.waker, " state ",
                      segment.state, " cause ", segment.cause, segment.open_start ? " begun" : "",
                      segment.open_end ? " open" : "");
}
std::string Text(const Entity& entity) {
  return absl::StrCat(entity.name, " ", entity.tid, " of ", entity.process_name, " ",
                      entity.command, " from ", entity.begin_ns, " to ", entity.end_ns, ": ",
                      entity.run_ns, " ", entity.runnable_ns, " ", entity.wait_ns, " ",
                      entity.spin_ns, " ", entity.unknown_ns, entity.target ? " target" : "");
}
std::string Text(const BlockRecord& record) {
  return absl::StrCat(record.time_ns, " ", record.sector, " ", record.service_ns, " ",
                      record.device, " ", record.bytes, " ", record.thread, " ", record.complete);
}
std::string Text(const PacketRecord& record) {
  return absl::StrCat(record.time_ns, " ", record.interface, " ", record.bytes, " ", record.thread,
                      " ", record.flow_id, " ", record.cpu, " ", record.sent);
}
std::string Text(const StackSample& sample) {
  return absl::StrCat(sample.since_start_ns, " ", sample.weight_log2, " ", sample.moment_value, " ",
                      sample.stack_id, " ", sample.thread, " ", sample.object_id);
}

// All that a recording's timeline says, or the windows of a stream, by line.
struct Told {
  std::string fault;
  std::vector<std::string> entities;
  std::vector<std::vector<std::string>> segments;  // by thread
  std::vector<std::string> requests;
  std::vector<std::string> packets;
  std::vector<std::string> samples;
  std::vector<uint64_t> borders_ns;  // of a stream
};

Told ToldByTimeline(SessionReader& session) {
  Told told;
  const auto timeline = LoadTimeline(session, {.threads = 1});
  if (!timeline.ok()) {
    told.fault = timeline.status().ToString();
    return told;
  }
  for (const Entity& entity : timeline->entities()) told.entities.push_back(Text(entity));
  told.segments.resize(timeline->thread_count());
  for (EntityId id = 0; id < timeline->thread_count(); ++id)
    for (auto at = timeline->SegmentsFrom(id); !at.done(); at.Next())
      told.segments[id].push_back(Text(at.segment()));
  for (const BlockRecord& record : timeline->block_records()) told.requests.push_back(Text(record));
  for (const PacketRecord& record : timeline->packet_rows()[0])
    told.packets.push_back(Text(record));
  std::vector<StackSample> samples(timeline->stack_samples().begin(),
                                   timeline->stack_samples().end());
  std::stable_sort(samples.begin(), samples.end(), [](const StackSample& a, const StackSample& b) {
    return a.since_start_ns < b.since_start_ns;
  });
  for (const StackSample& sample : samples) told.samples.push_back(Text(sample));
  return told;
}

// Puts the windows of a stream together, and looks at each of them.
class Gatherer {
 public:
  Gatherer(const TimelineStream& stream, size_t most_unsettled)
      : stream_(stream), most_unsettled_(std::max<size_t>(most_unsettled, 2)) {
    threads_.resize(stream.entities().size());
    told_.segments.resize(stream.entities().size());
    to_ns_ = stream.start_ns();
  }

  void Take(const SettledWindow& window) {
    Check(window.from_ns == to_ns_ && window.to_ns >= window.from_ns, "windows follow each other");
    to_ns_ = window.to_ns;
    told_.borders_ns.push_back(to_ns_);
    EntityId next = 0;
    for (const SettledSlice& slice : window.slices) {
      Check(slice.thread >= next, "slices are in order");
      next = slice.thread + 1;
      TakeSlice(slice);
    }
    TakeRecords(window);
    CheckUnsettled(window);
  }

  Told Finish() {
    for (const Entity& entity : stream_.entities()) {
      told_.entities.push_back(Text(entity));
      if (entity.kind != EntityKind::kThread) continue;
      Check(threads_[told_.entities.size() - 1].has_ended, "every thread ends");
    }
    while (!told_.segments.empty() && told_.segments.back().empty()) told_.segments.pop_back();
    return std::move(told_);
  }

 private:
  struct Thread {
    uint64_t until_ns = 0;
    bool has_begun = false;
    bool has_ended = false;
  };

  void Check(bool holds, const std::string& what) {
    if (!holds && told_.fault.empty()) told_.fault = "not so: " + what;
  }

  void TakeSlice(const SettledSlice& slice) {
    Thread& thread = threads_[slice.thread];
    Check(!slice.segments.empty(), "a slice says something");
    Check(slice.begins == !thread.has_begun && !thread.has_ended, "slices tell begins and ends");
    Check(slice.begins || slice.from_ns == thread.until_ns, "slices leave no gap");
    Check(slice.segments.front().start_ns == slice.from_ns, "a slice begins with a segment");
    uint64_t sum_ns = 0;
    for (const uint64_t time_ns : slice.time_ns) sum_ns += time_ns;
    Check(sum_ns == slice.until_ns - slice.from_ns, "a slice's ledger adds up");
    for (const ThreadSegment& segment : slice.segments) {
      // A timeline's walk begins with the last segment that begins at 0.
      if (segment.start_ns == 0) told_.segments[slice.thread].clear();
      told_.segments[slice.thread].push_back(Text(segment));
    }
    thread = {slice.until_ns, true, slice.ends};
  }

  void TakeRecords(const SettledWindow& window) {
    for (const BlockRecord& record : window.block_records) {
      CheckTime(window, record.time_ns);
      told_.requests.push_back(Text(record));
    }
    for (const PacketRecord& record : window.packets) {
      CheckTime(window, record.time_ns);
      told_.packets.push_back(Text(record));
    }
    for (const StackSample& sample : window.stack_samples) {
      // A sample's time has 56 bits.
      if (sample.since_start_ns + 1 < uint64_t{1} << 56)
        CheckTime(window, stream_.start_ns() + sample.since_start_ns);
      told_.samples.push_back(Text(sample));
    }
  }

  // The last window holds what comes at the recording's very end, too.
  void CheckTime(const SettledWindow& window, uint64_t time_ns) {
    Check(time_ns >= window.from_ns || window.from_ns == stream_.start_ns(),
          "records are no older");
    Check(time_ns < window.to_ns || stream_.ended(), "records are no newer");
  }

  void CheckUnsettled(const SettledWindow& window) {
    EntityId next = 0;
    for (const UnsettledThread& unsettled : stream_.Unsettled()) {
      Check(unsettled.thread >= next, "what is unsettled is in order");
      next = unsettled.thread + 1;
      const Thread& thread = threads_[unsettled.thread];
      Check(!unsettled.segments.empty() && !thread.has_ended, "who has ended is settled");
      Check(!thread.has_begun || unsettled.segments.front().start_ns == thread.until_ns,
            "what is unsettled begins where the slices end");
      Check(unsettled.segments.size() <= most_unsettled_, "little is unsettled");
      Check(unsettled.segments.front().start_ns < window.to_ns, "what is to come is not unsettled");
    }
    if (stream_.ended()) Check(next == 0, "all is settled at the end");
  }

  const TimelineStream& stream_;
  const size_t most_unsettled_;
  std::vector<Thread> threads_;
  Told told_;
  uint64_t to_ns_ = 0;
};

Told ToldByStream(SessionReader& session, const StreamOptions& options) {
  const auto stream = TimelineStream::Open(session, options);
  if (!stream.ok()) return {.fault = stream.status().ToString()};
  Gatherer gatherer(**stream, options.most_unsettled);
  while (true) {
    const auto window = (*stream)->Next();
    if (!window.ok()) return {.fault = window.status().ToString()};
    if (*window == nullptr) break;
    gatherer.Take(**window);
  }
  return gatherer.Finish();
}

// Empty if the stream's windows are the timeline.
std::string Difference(const Told& timeline, const Told& stream) {
  if (timeline.fault != stream.fault)
    return absl::StrCat("fault: ", timeline.fault, " / ", stream.fault);
  const auto differ = [](const std::string& what, const std::vector<std::string>& a,
                         const std::vector<std::string>& b) -> std::string {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const std::string in_a = i < a.size() ? a[i] : "nothing";
      const std::string in_b = i < b.size() ? b[i] : "nothing";
      if (in_a != in_b) return absl::StrCat(what, " ", i, ": ", in_a, " / ", in_b);
    }
    return "";
  };
  if (timeline.segments.size() != stream.segments.size()) return "another number of threads";
  for (size_t id = 0; id < timeline.segments.size(); ++id) {
    std::string found =
        differ(absl::StrCat("segment of ", id, ","), timeline.segments[id], stream.segments[id]);
    if (!found.empty()) return found;
  }
  for (const auto& [what, a, b] : {std::tuple("entity", &timeline.entities, &stream.entities),
                                   std::tuple("request", &timeline.requests, &stream.requests),
                                   std::tuple("packet", &timeline.packets, &stream.packets),
                                   std::tuple("sample", &timeline.samples, &stream.samples)}) {
    std::string found = differ(what, *a, *b);
    if (!found.empty()) return found;
  }
  return "";
}

// Of a session, over many ways to cut it.
std::string DifferenceOfAny(const std::string& directory, const std::vector<StreamOptions>& ways) {
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status().ToString();
  const Told whole = ToldByTimeline(**session);
  for (const StreamOptions& options : ways) {
    const auto again = SessionReader::Open(directory);
    std::string found = Difference(whole, ToldByStream(**again, options));
    if (found.empty() && (*again)->damage() != (*session)->damage()) found = "another damage";
    if (!found.empty())
      return absl::StrCat(found, " (windows of ", options.window_ns, " ns, or ",
                          options.events_per_window, " events, ", options.threads, " threads)");
  }
  return "";
}

const std::vector<StreamOptions> kFineCuts = {
    {.window_ns = 1, .threads = 1},         {.window_ns = 7, .threads = 2},
    {.window_ns = 1'000'000, .threads = 1}, {.events_per_window = 1, .threads = 1},
    {.events_per_window = 5, .threads = 3}, {.events_per_window = 1'000, .threads = 1},
};

TEST(TimelineStream, OfALargeRecordingIsItsTimeline) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 200'000, .threads = 48, .cpus = 5}, directory / "s").ok());
  EXPECT_EQ(DifferenceOfAny(directory / "s", {{.threads = 2},
                                              {.window_ns = 100'000, .threads = 3},
                                              {.window_ns = 10'000'000, .threads = 1},
                                              {.events_per_window = 777, .threads = 2},
                                              {.events_per_window = 50'000, .threads = 1}}),
            "");
}

TEST(TimelineStream, HasTheSameWindowsForAnyNumberOfThreads) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 20'000, .threads = 8, .cpus = 2}, directory / "s").ok());
  for (const uint64_t window_ns : {0u, 1'000u, 1'000'000u}) {
    std::vector<uint64_t> borders_ns;
    for (const int threads : {1, 2, 5}) {
      const auto session = SessionReader::Open(directory / "s");
      const Told told = ToldByStream(
          **session, {.window_ns = window_ns, .events_per_window = 100, .threads = threads});
      EXPECT_GT(told.borders_ns.size(), 10u);
      if (threads > 1) {
        EXPECT_TRUE(told.borders_ns == borders_ns) << window_ns << " " << threads;
      }
      borders_ns = told.borders_ns;
    }
  }
}

TEST(TimelineStream, OfEveryScenarioIsItsTimeline) {
  int scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_TESTDATA)) {
    if (entry.path().extension() != ".txt") continue;
    const TemporaryDirectory directory;
    for (const size_t events_per_block : {1u, 3u, 1000u}) {
      const std::string session = absl::StrCat(directory / "s", events_per_block);
      WriteScenario(ReadScenario(entry.path()), session, events_per_block);
      EXPECT_EQ(DifferenceOfAny(session, kFineCuts), "") << entry.path() << events_per_block;
    }
    ++scenarios;
  }
  EXPECT_GT(scenarios, 20);
}

RC_GTEST_PROP(TimelineStream, OfAnyScenarioIsItsTimeline, (uint32_t seed, uint8_t steps)) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario(RandomScenario(seed, 10 + steps)), directory / "s",
                *rc::gen::inRange<size_t>(1, 100));
  RC_ASSERT(DifferenceOfAny(directory / "s", kFineCuts) == "");
}

RC_GTEST_PROP(TimelineStream, OfContradictingEventsIsTheirTimeline, ()) {
  const TemporaryDirectory directory;
  WriteQuarrel(directory / "s");
  RC_ASSERT(DifferenceOfAny(directory / "s", kFineCuts) == "");
}

RC_GTEST_PROP(TimelineStream, OfAnyEventsIsTheirTimeline, ()) {
  const TemporaryDirectory directory;
  WriteAnything(directory / "s");
  RC_ASSERT(DifferenceOfAny(directory / "s", {{.window_ns = 1'000'000'000, .threads = 2},
                                              {.events_per_window = 1, .threads = 1},
                                              {.events_per_window = 9, .threads = 2}}) == "");
}

// Their packets, lost or not, and their clocks, which are off, are of no concern here: the joiner
// takes whole timelines of nodes.
RC_GTEST_PROP(TimelineStream, OfEachNodeOfAClusterIsItsTimeline, (uint32_t seed)) {
  const TemporaryDirectory directory;
  const ClusterShape shape{
      .events = *rc::gen::inRange<uint64_t>(100, 1'000),
      .nodes = *rc::gen::inRange(2, 5),
      .cpus_per_node = *rc::gen::inRange(1, 4),
      .groups = *rc::gen::inRange(1, 5),
      .groups_across_percent = *rc::gen::elementOf(std::vector{50, 100}),
      .connections = *rc::gen::inRange(1, 4),
      .packets_lost_percent = *rc::gen::elementOf(std::vector{0, 15}),
      .sends_unrecorded_percent = *rc::gen::elementOf(std::vector{0, 5}),
      .outside_percent = *rc::gen::elementOf(std::vector{0, 30}),
      .clocks = {{}, {.skew_ns = *rc::gen::inRange(-1'000'000, 1'000'000), .drift_ppm = 100}},
      .seed = seed};
  RC_ASSERT(GenerateCluster(shape, directory / "nodes").ok());
  const auto nodes = FindNodeSessions(directory / "nodes");
  RC_ASSERT(nodes.ok());
  for (const NodeSession& node : *nodes)
    RC_ASSERT(DifferenceOfAny(node.directory,
                              {{.window_ns = *rc::gen::inRange<uint64_t>(1'000, 1'000'000)},
                               {.window_ns = 1'000'000'000, .threads = 2},
                               {.events_per_window = *rc::gen::inRange<size_t>(1, 200)}}) == "");
}

// What is forgotten changes meanings, but leaves no gap and loses no time.
RC_GTEST_PROP(TimelineStream, AddsUpHoweverLittleMayBeUnsettled, ()) {
  const TemporaryDirectory directory;
  WriteQuarrel(directory / "s");
  const auto session = SessionReader::Open(directory / "s");
  RC_ASSERT(session.ok());
  const auto most = *rc::gen::inRange<size_t>(0, 4);
  const Told told = ToldByStream(
      **session, {.events_per_window = *rc::gen::inRange<size_t>(1, 9), .most_unsettled = most});
  RC_ASSERT(told.fault == "");
}

// The windows of a scenario, each as the slices of one thread: "10-30 wait run" and what is
// unsettled behind it.
class WindowsOf {
 public:
  WindowsOf(const std::string& scenario, const StreamOptions& options) {
    WriteScenario(ParseScenario(scenario), directory_ / "s", 1000);
    session_ = *SessionReader::Open(directory_ / "s");
    stream_ = *TimelineStream::Open(*session_, options);
    while (true) {
      const auto window = stream_->Next();
      if (!window.ok() || *window == nullptr) break;
      Take(**window);
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }
  uint64_t forgotten() const { return stream_->forgotten(); }

 private:
  static std::string Kinds(std::span<const ThreadSegment> segments) {
    static constexpr const char* kNames[] = {"unknown", "run", "runnable", "wait", "spin"};
    std::string kinds;
    for (const ThreadSegment& segment : segments)
      absl::StrAppend(&kinds, " ", kNames[static_cast<int>(segment.kind)]);
    return kinds;
  }
  void Take(const SettledWindow& window) {
    std::string line;
    for (const SettledSlice& slice : window.slices) {
      if (stream_->entities()[slice.thread].name != "A") continue;
      absl::StrAppend(&line, slice.from_ns - kScenarioStartNs, "-",
                      slice.until_ns - kScenarioStartNs, Kinds(slice.segments));
    }
    for (const UnsettledThread& unsettled : stream_->Unsettled())
      if (stream_->entities()[unsettled.thread].name == "A")
        absl::StrAppend(&line, " then", Kinds(unsettled.segments));
    lines_.push_back(line);
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<SessionReader> session_;
  std::unique_ptr<TimelineStream> stream_;
  std::vector<std::string> lines_;
};

// It may be joined to the next.
TEST(TimelineStream, BringsAWaitWhenTheNextBegins) {
  const WindowsOf windows(R"(
end 50
thread 1 A R
thread 2 B R
1 0 switch 0 1 R
5 0 switch 1 2 S
22 0 wake 1 by 2
23 0 switch 2 1 S
31 0 switch 1 0 S
)",
                          {.window_ns = 10, .threads = 1});
  EXPECT_THAT(windows.lines(),
              testing::ElementsAre("0-5 runnable run then wait", " then wait runnable run",
                                   "5-31 wait runnable run then wait", "31-50 wait"))
      << "nothing happens from 10 to 20";
}

TEST(TimelineStream, AWaitThatNeverEndsHoldsNobodyBack) {
  std::string scenario =
      "end 1000\nthread 1 A R\nthread 2 B R\n1 0 switch 0 1 R\n"
      "2 0 switch 1 2 S\n";
  for (int time_ns = 10; time_ns < 990; time_ns += 10)
    absl::StrAppend(&scenario, time_ns, " 0 switch 2 0 P\n", time_ns + 1, " 0 switch 0 2 R\n");
  const WindowsOf windows(scenario, {.window_ns = 100, .threads = 1});
  ASSERT_EQ(windows.lines().size(), 11u);
  EXPECT_EQ(windows.lines().front(), "0-2 runnable run then wait");
  for (size_t i = 1; i < 10; ++i) EXPECT_EQ(windows.lines()[i], " then wait");
  EXPECT_EQ(windows.lines().back(), "2-1000 wait");
}

TEST(TimelineStream, ForgetsAWaitBehindWhichTooMuchHappened) {
  std::string scenario = "end 1000\nthread 1 A S\n5 0 wake 1 by timer\n6 0 switch 0 1 R\n";
  for (int time_ns = 10; time_ns < 500; time_ns += 10)
    absl::StrAppend(&scenario, time_ns, " 0 switch 1 0 P\n", time_ns + 1, " 0 switch 0 1 R\n");
  // The wait before is joined by a timeline, though 99 segments lie between.
  absl::StrAppend(&scenario, "501 0 probe 1 false_wakeup\n502 0 switch 1 0 S\n");
  const WindowsOf joined(scenario, {.window_ns = 100, .threads = 1});
  EXPECT_EQ(joined.lines().back(), "0-1000 wait");
  EXPECT_EQ(joined.forgotten(), 0u);
  const WindowsOf forgotten(scenario, {.window_ns = 100, .most_unsettled = 10, .threads = 1});
  EXPECT_EQ(forgotten.lines().back(), "502-1000 wait");
  EXPECT_EQ(forgotten.forgotten(), 1u);
}

TEST(TimelineStream, ARecordingThatChangesBetweenItsPassesIsAnError) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 50'000, .threads = 8, .cpus = 2}, directory / "s").ok());
  const auto session = SessionReader::Open(directory / "s");
  ASSERT_TRUE(session.ok());
  const auto stream = TimelineStream::Open(**session, {.events_per_window = 1'000});
  ASSERT_TRUE(stream.ok());
  std::filesystem::resize_file(directory / "s/cpu-001.trace", 0);
  absl::Status status;
  while (status.ok()) {
    const auto window = (*stream)->Next();
    status = window.status();
    ASSERT_FALSE(window.ok() && *window == nullptr) << "the end was reached";
  }
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
}

TEST(TimelineStream, RefusesASessionWithoutEvents) {
  const TemporaryDirectory directory;
  {
    auto writer = SessionWriter::Create(directory / "s", {});
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->WriteSession({}).ok());
  }
  const auto session = SessionReader::Open(directory / "s");
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(TimelineStream::Open(**session, {}).status()));
}

}  // namespace
}  // namespace gordian
