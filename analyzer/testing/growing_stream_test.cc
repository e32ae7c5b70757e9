// SPDX-License-Identifier: Apache-2.0
// A stream that follows a recording while it grows gives the windows of the finished one, however
// it grew; where something was told too late, it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/gathered_windows.h"
#include "analyzer/testing/quarrels.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "analyzer/timeline/pauses.h"
#include "analyzer/timeline/timeline_stream.h"
#include "bench/trace_generator.h"
#include "trace/block_encoder.h"
#include "trace/block_header.h"
#include "trace/segment_scan.h"
#include "trace/session_folder.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

// Writes a finished session anew, piece by piece, as a recorder may have: bytes of any file, then a
// session.pb with a watermark that is true.
class Regrower {
 public:
  Regrower(std::string from, std::string to, uint32_t seed)
      : from_(std::move(from)), to_(std::move(to)), random_(seed) {
    session_ = *ReadSessionFile(from_)->session;
    const auto reader = SessionReader::Open(from_);
    uint64_t first_ns = kForever;
    for (const auto& cpu : (*reader)->cpus())
      for (const BlockInfo& block : cpu->blocks()) {
        first_ns = std::min(first_ns, block.first_time_ns);
        last_ns_ = std::max(last_ns_, block.last_time_ns);
      }
    last_ns_ = std::max(last_ns_, session_.end_time_ns());
    session_.set_end_time_ns(last_ns_);
    pauses_ = Pauses(session_, first_ns);
    std::filesystem::create_directory(to_);
    const auto names = ListSegments(from_);
    for (const SegmentName& name : *names) {
      const std::string file = SegmentFileName(name);
      files_.push_back({name.stream, file, ReadWholeFile(from_ + "/" + file), 0,
                        ScanSegment(from_ + "/" + file, name.stream)->blocks});
    }
  }

  bool done() const {
    return std::all_of(files_.begin(), files_.end(),
                       [](const File& file) { return file.written == file.bytes.size(); });
  }

  void Step() {
    File& file = random_() % 4 == 0 ? files_[random_() % files_.size()] : Latest();
    const size_t left = file.bytes.size() - file.written;
    const size_t bytes = std::min<size_t>(left, 1 + random_() % 300);
    std::ofstream(to_ + "/" + file.name, std::ios::binary | std::ios::app)
        << file.bytes.substr(file.written, bytes);
    file.written += bytes;
    if (random_() % 2 == 0) Tell(false);
  }

  void Tell(bool is_last) {
    pb::Session session = session_;
    session.set_complete(is_last);
    if (!is_last) {
      const uint64_t most_ns = std::min(Complete(), last_ns_);
      told_ns_ = std::max(told_ns_, most_ns - random_() % (1 + (most_ns - told_ns_) / 2));
      session.set_complete_until_ns(told_ns_);
      session.set_end_time_ns(told_ns_);
      session.clear_pauses();
      for (const pb::Pause& pause : session_.pauses()) {
        if (pause.from_ns() > told_ns_) break;
        pb::Pause& told = *session.add_pauses() = pause;
        if (told_ns_ <= pause.to_ns() && random_() % 2 == 0) told.set_to_ns(told_ns_);
      }
    }
    WriteWholeFile(to_ + "/session.new", session.SerializeAsString());
    std::filesystem::rename(to_ + "/session.new", to_ + "/session.pb");
  }

 private:
  struct File {
    StreamId stream;
    std::string name;
    std::string bytes;
    size_t written = 0;
    std::vector<FoundBlock> blocks;
  };

  // The file that holds the watermark back, or any that is not whole.
  File& Latest() {
    File* latest = nullptr;
    uint64_t latest_ns = kForever;
    for (File& file : files_)
      for (const FoundBlock& block : file.blocks) {
        const bool is_there = block.offset + block.header.block_bytes() <= file.written;
        if (is_there || (latest != nullptr && block.header.first_time_ns >= latest_ns)) continue;
        latest = &file;
        latest_ns = block.header.first_time_ns;
      }
    return latest != nullptr ? *latest : files_[random_() % files_.size()];
  }

  // The threads are told anew behind each pause before the watermark passes its end.
  uint64_t Complete() const {
    uint64_t complete_ns = kForever;
    for (const File& file : files_)
      for (const FoundBlock& block : file.blocks) {
        if (block.offset + block.header.block_bytes() <= file.written) continue;
        uint64_t first_ns = block.header.first_time_ns;
        if (file.stream.kind == BlockKind::kResources) continue;
        if (file.stream.cpu == kNoCpu)
          for (const pb::Pause& pause : session_.pauses())
            if (pause.to_ns() <= first_ns) complete_ns = std::min(complete_ns, pause.to_ns());
        complete_ns = std::min(complete_ns, first_ns);
      }
    return complete_ns;
  }

  const std::string from_;
  const std::string to_;
  std::mt19937 random_;
  pb::Session session_;
  Pauses pauses_;
  uint64_t last_ns_ = 0;
  uint64_t told_ns_ = 0;
  std::vector<File> files_;
};

struct Followed {
  WindowLines lines;
  uint64_t told_late = 0;
  uint64_t lost_blocks = 0;
  size_t windows_while_growing = 0;
};

Followed FollowRegrown(const std::string& from, const std::string& to, uint32_t seed,
                       const StreamOptions& options, bool with_windows = false) {
  Followed followed;
  Regrower regrower(from, to, seed);
  const auto stream = TimelineStream::Follow(to, options);
  EXPECT_TRUE(stream.ok()) << stream.status();
  GatheredWindows gathered;
  const auto take_all = [&] {
    while (true) {
      const auto window = (*stream)->Next();
      EXPECT_TRUE(window.ok()) << window.status();
      if (!window.ok() || *window == nullptr) return;
      gathered.Take(**window);
      followed.windows_while_growing += (*stream)->ended() ? 0 : 1;
    }
  };
  std::mt19937 random(seed + 1);
  while (!regrower.done()) {
    regrower.Step();
    if (random() % 4 == 0) take_all();
  }
  if (random() % 2 == 0) {
    regrower.Tell(false);
    take_all();
  }
  const size_t before_end = followed.windows_while_growing;
  regrower.Tell(true);
  take_all();
  followed.windows_while_growing = before_end;
  EXPECT_TRUE((*stream)->ended());
  followed.lines = gathered.Lines(**stream, with_windows);
  followed.told_late = (*stream)->told_late();
  followed.lost_blocks = (*stream)->lost_blocks();
  return followed;
}

// Writes a recording's blocks anew as a flight recorder that is followed too slowly: each block is
// a segment, and some segments are gone before anybody looks.
class VanishingFolder {
 public:
  VanishingFolder(const std::string& from, std::string to, uint32_t seed)
      : to_(std::move(to)), random_(seed) {
    session_ = *ReadSessionFile(from)->session;
    session_.mutable_options()->set_ring_bytes(1 << 20);
    std::filesystem::create_directory(to_);
    const auto reader = SessionReader::Open(from);
    for (const auto& cpu : (*reader)->cpus()) CutStream(*cpu, BlockKind::kEvents);
    if ((*reader)->tasks() != nullptr) CutStream(*(*reader)->tasks(), BlockKind::kTasks);
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) {
      return a.header.first_time_ns < b.header.first_time_ns;
    });
  }

  // Some blocks appear, and some of those are gone at once; then the watermark passes them.
  void Step() {
    const size_t count = std::min(blocks_.size() - next_, 1 + random_() % 12);
    std::vector<std::string> fresh;
    for (size_t i = 0; i < count; ++i) {
      const Block& block = blocks_[next_++];
      fresh.push_back(to_ + "/" + SegmentFileName({block.stream, block.number}));
      WriteWholeFile(fresh.back(), block.bytes);
    }
    // The oldest end first, as it is with flight recorders.
    if (next_ > 20 && random_() % 3 == 0)
      for (size_t i = 0; i < next_; ++i) Delete(i, next_ < blocks_.size() ? next_ - count / 2 : 0);
    pb::Session session = session_;
    const bool is_last = next_ == blocks_.size();
    session.set_complete(is_last);
    uint64_t complete_ns = is_last ? session.end_time_ns() : blocks_[next_].header.first_time_ns;
    session.set_complete_until_ns(complete_ns);
    WriteWholeFile(to_ + "/session.new", session.SerializeAsString());
    std::filesystem::rename(to_ + "/session.new", to_ + "/session.pb");
  }

 private:
  struct Block {
    StreamId stream;
    uint32_t number = 0;
    BlockHeader header;
    std::string bytes;
    bool is_gone = false;
  };

  void Delete(size_t i, size_t end) {
    Block& block = blocks_[i];
    if (i >= end || block.is_gone || block.stream.kind == BlockKind::kTasks) return;
    block.is_gone = true;
    std::filesystem::remove(to_ + "/" + SegmentFileName({block.stream, block.number}));
  }

  // In blocks of 50 events.
  void CutStream(const EventStream& stream, BlockKind kind) {
    BlockEncoder encoder;
    uint64_t sequence = 0;
    for (size_t index = 0; index < stream.blocks().size(); ++index) {
      EventBlock events;
      if (!stream.Read(index, events).ok()) continue;
      for (size_t from = 0; from < events.events.size(); from += 50) {
        const size_t to = std::min(events.events.size(), from + 50);
        const auto encoded = encoder.EncodeEvents(events, from, to - from, kind, sequence);
        ASSERT_TRUE(encoded.ok()) << encoded.status();
        Block block{.stream = {kind, stream.cpu()}, .number = static_cast<uint32_t>(sequence)};
        block.bytes.assign(encoded->bytes.begin(), encoded->bytes.end());
        block.header = *ParseBlockHeader(encoded->bytes);
        blocks_.push_back(std::move(block));
        ++sequence;
      }
    }
  }

  const std::string to_;
  std::mt19937 random_;
  pb::Session session_;
  std::vector<Block> blocks_;  // in order of time
  size_t next_ = 0;
};

struct StretchOf {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  SegmentKind kind = SegmentKind::kUnknown;
};

void AddStretches(const SettledSlice& slice, std::vector<StretchOf>& stretches) {
  for (size_t i = 0; i < slice.segments.size(); ++i) {
    const bool is_last = i + 1 == slice.segments.size();
    stretches.push_back({slice.segments[i].start_ns,
                         is_last ? slice.until_ns : slice.segments[i + 1].start_ns,
                         slice.segments[i].kind});
  }
}

// Runs that are told are true.
void CheckAgainst(const Timeline& whole, const TimelineStream& stream,
                  const std::map<EntityId, std::vector<StretchOf>>& told, uint32_t seed) {
  uint64_t known_ns = 0;
  for (const auto& [id, stretches] : told) {
    const Entity& entity = stream.entities()[id];
    EntityId same = 0;
    while (same < whole.thread_count() && whole.entities()[same].tid != entity.tid) ++same;
    ASSERT_LT(same, whole.thread_count());
    for (const StretchOf& stretch : stretches) {
      if (stretch.kind != SegmentKind::kRun || stretch.from_ns == stretch.to_ns) continue;
      const auto at = whole.SegmentsFrom(same, stretch.from_ns);
      ASSERT_FALSE(at.done());
      EXPECT_EQ(at.segment().kind, SegmentKind::kRun)
          << "seed " << seed << " tid " << entity.tid << " at "
          << stretch.from_ns - whole.start_ns();
      EXPECT_LE(stretch.to_ns, at.end_ns()) << "seed " << seed << " tid " << entity.tid;
      known_ns += stretch.to_ns - stretch.from_ns;
    }
  }
  EXPECT_GT(known_ns, 0u);
}

TEST(FollowedStream, OfALargeRecordingIsTheFinishedOne) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 30'000, .threads = 24, .cpus = 3}, directory / "s").ok());
  const StreamOptions options{.window_ns = 200'000, .threads = 2};
  const Followed followed = FollowRegrown(directory / "s", directory / "t", 1, options, true);
  EXPECT_EQ(FirstDifference(LinesOfFinished(directory / "s", options, true), followed.lines), "");
  EXPECT_EQ(followed.told_late, 0u);
  EXPECT_EQ(followed.lost_blocks, 0u);
}

TEST(FollowedStream, SaysNothingUntilTheWatermarkPassesAWindow) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario("end 39\nthread 1 A R\n1 0 switch 0 1 R\n12 0 switch 1 0 S\n"
                              "33 0 wake 1 by timer\n"),
                directory / "s", 1000);
  pb::Session session = *ReadSessionFile(directory / "s")->session;
  const auto tell = [&](uint64_t time_ns, bool is_last) {
    session.set_complete_until_ns(kScenarioStartNs + time_ns);
    session.set_complete(is_last);
    WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  };
  session.clear_complete_until_ns();
  session.set_complete(false);
  WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  const auto stream = TimelineStream::Follow(directory / "s", {.window_ns = 20});
  ASSERT_TRUE(stream.ok());
  const auto next = [&] {
    const auto window = (*stream)->Next();
    EXPECT_TRUE(window.ok());
    return *window;
  };
  EXPECT_EQ(next(), nullptr);
  tell(19, false);
  EXPECT_EQ(next(), nullptr) << "its block is not all from before the watermark";
  tell(38, false);
  const SettledWindow* window = next();
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->to_ns, kScenarioStartNs + 20);
  ASSERT_EQ(window->slices.size(), 1u);
  EXPECT_EQ(window->slices[0].until_ns, kScenarioStartNs + 12);
  EXPECT_EQ(next(), nullptr);
  EXPECT_FALSE((*stream)->ended());
  tell(39, true);
  window = next();
  ASSERT_NE(window, nullptr);
  EXPECT_TRUE((*stream)->ended());
  EXPECT_EQ(window->slices[0].until_ns, kScenarioStartNs + 39);
  EXPECT_EQ(next(), nullptr);
}

TEST(FollowedStream, EndsWhereTheCallerSaysThatNobodyWritesAnyMore) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario("end 40\nthread 1 A R\n1 0 switch 0 1 R\n"), directory / "s", 1000);
  pb::Session session = *ReadSessionFile(directory / "s")->session;
  session.set_complete(false);  // its recorder was killed
  session.clear_complete_until_ns();
  WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  const auto stream = TimelineStream::Follow(directory / "s", {});
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(*(*stream)->Next(), nullptr);
  EXPECT_FALSE((*stream)->ended());
  (*stream)->EndHere();
  EXPECT_NE(*(*stream)->Next(), nullptr);
  EXPECT_TRUE((*stream)->ended());
}

// It had written what CPU 0 told, and not yet what CPU 1 did: the birth of a thread.
TEST(FollowedStream, OfAKilledRecorderKnowsBirthsFromAllThatIsThere) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario("end 100\nthread 1 A R\nthread 2 B R\n0 0 switch 0 1 R\n"
                              "2 1 switch 0 2 R\n30 1 new 3 C of 2 in 2\n"
                              "35 0 switch 1 3 S\n45 0 switch 3 1 S\n"
                              "75 0 wake 3 by 1\n80 0 switch 1 3 R\n90 0 exit 3\n"),
                directory / "s", 1);
  std::filesystem::remove(directory / "s/cpu-001.trace");
  pb::Session session = *ReadSessionFile(directory / "s")->session;
  session.set_complete(false);
  session.set_complete_until_ns(kScenarioStartNs + 25);
  WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  const StreamOptions options{.window_ns = 20, .threads = 1};
  const auto stream = TimelineStream::Follow(directory / "s", options);
  ASSERT_TRUE(stream.ok());
  GatheredWindows gathered;
  const auto take_all = [&] {
    size_t windows = 0;
    for (const SettledWindow* window = *(*stream)->Next(); window != nullptr;
         window = *(*stream)->Next(), ++windows)
      gathered.Take(*window);
    return windows;
  };
  EXPECT_EQ(take_all(), 1u);
  (*stream)->EndHere();
  EXPECT_GT(take_all(), 2u);
  EXPECT_EQ((*stream)->told_late(), 0u);
  EXPECT_EQ(
      FirstDifference(LinesOfFinished(directory / "s", options), gathered.Lines(**stream, false)),
      "");
}

// The recorder was killed before it told anew who lives; the pause was not known yet when thread 1
// was last heard of.
TEST(FollowedStream, DoesNotKnowWhatAThreadDidThatNobodyToldAnewBehindAPause) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario("end 100\nthread 1 A R\nthread 2 B R\npause 40 60\n"
                              "1 0 switch 0 1 R\n2 1 switch 0 2 R\n30 1 switch 2 0 S\n"
                              "70 1 wake 2 by timer\n72 1 switch 0 2 R\n90 1 switch 2 0 S\n"),
                directory / "s", 1);
  const pb::Session whole = *ReadSessionFile(directory / "s")->session;
  const auto tell = [&](uint64_t complete_until_ns, bool is_last) {
    pb::Session session = whole;
    session.set_complete(is_last);
    session.set_complete_until_ns(kScenarioStartNs + complete_until_ns);
    if (complete_until_ns < 40) session.clear_pauses();
    WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  };
  tell(35, false);
  const StreamOptions options{.window_ns = 10, .threads = 1};
  const auto stream = TimelineStream::Follow(directory / "s", options);
  ASSERT_TRUE(stream.ok());
  GatheredWindows gathered;
  const auto take_all = [&] {
    for (const SettledWindow* window = *(*stream)->Next(); window != nullptr;
         window = *(*stream)->Next())
      gathered.Take(*window);
  };
  take_all();
  tell(100, true);
  take_all();
  EXPECT_TRUE((*stream)->ended());
  const WindowLines lines = gathered.Lines(**stream, false);
  EXPECT_EQ(FirstDifference(LinesOfFinished(directory / "s", options), lines), "");
  EXPECT_THAT(lines.at("1/0"), Contains(HasSubstr("kind 0")));
}

TEST(FollowedStream, OfARecordingWithoutEventsEndsAtOnce) {
  const TemporaryDirectory directory;
  pb::Session session;
  session.set_format_version(kSessionFormatVersion);
  session.set_complete(true);
  std::filesystem::create_directory(directory / "s");
  WriteWholeFile(directory / "s/session.pb", session.SerializeAsString());
  const auto stream = TimelineStream::Follow(directory / "s", {});
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(*(*stream)->Next(), nullptr);
  EXPECT_TRUE((*stream)->ended());
}

// A flight recorder's segments vanish. What the windows say of the time that was not lost is true;
// runs that touch lost time are not known.
TEST(FollowedStream, KnowsNothingOfWhatVanishedAndIsRightAboutTheRest) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    const TemporaryDirectory directory;
    ASSERT_TRUE(
        GenerateTrace({.events = 6'000, .threads = 8, .cpus = 2, .seed = seed}, directory / "whole")
            .ok());
    VanishingFolder folder(directory / "whole", directory / "s", seed);
    const Timeline whole = *LoadTimeline(**SessionReader::Open(directory / "whole"));
    const auto stream = TimelineStream::Follow(directory / "s", {.window_ns = 50'000});
    ASSERT_TRUE(stream.ok());
    std::map<EntityId, std::vector<StretchOf>> told;
    while (!(*stream)->ended()) {
      folder.Step();
      while (true) {
        const auto window = (*stream)->Next();
        ASSERT_TRUE(window.ok()) << window.status();
        if (*window == nullptr) break;
        for (const SettledSlice& slice : (*window)->slices) AddStretches(slice, told[slice.thread]);
      }
    }
    EXPECT_GT((*stream)->lost_blocks(), 0u) << seed;
    CheckAgainst(whole, **stream, told, seed);
  }
}

RC_GTEST_PROP(FollowedStream, OfAnyScenarioIsTheFinishedOne, (uint32_t seed, uint8_t steps)) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario(RandomScenario(seed, 10 + steps)), directory / "s",
                *rc::gen::inRange<size_t>(1, 20));
  const StreamOptions options{.window_ns = *rc::gen::inRange<uint64_t>(1, 50), .threads = 1};
  const Followed followed = FollowRegrown(directory / "s", directory / "t", seed, options);
  RC_TAG(followed.told_late == 0 ? "in time" : "late");
  RC_TAG(followed.windows_while_growing > 0 ? "grows" : "at once");
  if (followed.told_late > 0) return;
  RC_ASSERT(FirstDifference(LinesOfFinished(directory / "s", options), followed.lines) == "");
}

RC_GTEST_PROP(FollowedStream, OfARecorderThatIsKilledAtAnyByteIsThatOfWhatIsThere,
              (uint32_t seed, uint8_t steps)) {
  const TemporaryDirectory directory;
  WriteScenario(ParseScenario(RandomScenario(seed, 10 + steps)), directory / "s",
                *rc::gen::inRange<size_t>(1, 20));
  const StreamOptions options{.window_ns = *rc::gen::inRange<uint64_t>(1, 50), .threads = 1};
  Regrower regrower(directory / "s", directory / "t", seed);
  regrower.Tell(false);
  const auto stream = TimelineStream::Follow(directory / "t", options);
  RC_ASSERT(stream.ok());
  GatheredWindows gathered;
  const auto take_all = [&] {
    size_t windows = 0;
    while (true) {
      const auto window = (*stream)->Next();
      RC_ASSERT(window.ok());
      if (*window == nullptr) return windows;
      gathered.Take(**window);
      ++windows;
    }
  };
  size_t while_growing = 0;
  for (int left = *rc::gen::inRange(0, 200); left > 0 && !regrower.done(); --left) {
    regrower.Step();
    while_growing += take_all();
  }
  (*stream)->EndHere();
  take_all();
  RC_ASSERT((*stream)->ended());
  RC_TAG((*stream)->told_late() == 0 ? "in time" : "late");
  RC_TAG(while_growing > 0 ? "grows" : "at once");
  if ((*stream)->told_late() > 0) return;
  const auto reader = SessionReader::Open(directory / "t");
  if (!reader.ok() || !TimelineStream::Open(**reader, options).ok()) return;  // it wrote no event
  RC_ASSERT(FirstDifference(LinesOfFinished(directory / "t", options),
                            gathered.Lines(**stream, false)) == "");
}

RC_GTEST_PROP(FollowedStream, OfContradictingEventsIsTheFinishedOne, (uint32_t seed)) {
  const TemporaryDirectory directory;
  WriteQuarrel(directory / "s");
  const pb::Session session = *ReadSessionFile(directory / "s")->session;
  for (int i = 1; i < session.pauses_size(); ++i)
    if (session.pauses(i).from_ns() <= session.pauses(i - 1).to_ns())
      RC_DISCARD("no row of pauses");
  const StreamOptions options{.window_ns = *rc::gen::inRange<uint64_t>(1, 50), .threads = 1};
  const Followed followed = FollowRegrown(directory / "s", directory / "t", seed, options);
  RC_TAG(followed.told_late == 0 ? "in time" : "late");
  RC_TAG(followed.windows_while_growing > 0 ? "grows" : "at once");
  RC_TAG(session.pauses_size() > 0 ? "pauses" : "does not pause");
  if (followed.told_late > 0) return;
  RC_ASSERT(FirstDifference(LinesOfFinished(directory / "s", options), followed.lines) == "");
}

}  // namespace
}  // namespace gordian
