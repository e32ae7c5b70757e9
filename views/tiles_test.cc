// SPDX-License-Identifier: Apache-2.0
#include "views/tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <memory>

#include "analyzer/testing/random_scenario.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// A recording with windows as fine as a test wants them.
class TiledRecording {
 public:
  explicit TiledRecording(const QueryRecording& recording, size_t windows = 0)
      : timeline_(recording.analysis().timeline()),
        units_(FindUnits(timeline_, {})),
        sums_(recording.analysis().waits(), Options(windows)),
        source_(timeline_, windows > 0 ? sums_.view() : WindowSumsView{}, units_) {}

  const TileSource& source() const { return source_; }
  const Timeline& timeline() const { return timeline_; }
  const Units& units() const { return units_; }
  uint64_t length_ns() const { return timeline_.end_ns() - timeline_.start_ns(); }
  Tiles Make(uint64_t from_ns, uint64_t to_ns, uint32_t pixels, const std::string& rows) const {
    const auto parsed = ParseTileRows(rows);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    auto tiles = MakeTiles(
        source_,
        {.from_ns = from_ns, .to_ns = to_ns, .pixels = pixels, .rows = *parsed, .threads = 2});
    EXPECT_TRUE(tiles.ok()) << tiles.status();
    return *std::move(tiles);
  }

 private:
  WindowSumOptions Options(size_t windows) const {
    WindowSumOptions options;
    for (size_t i = 1; i < windows; ++i)
      options.kept_borders_ns.push_back(timeline_.start_ns() + length_ns() * i / windows);
    options.kept_borders_ns.erase(
        std::unique(options.kept_borders_ns.begin(), options.kept_borders_ns.end()),
        options.kept_borders_ns.end());
    return options;
  }

  const Timeline& timeline_;
  const Units units_;
  const WindowSums sums_;
  const TileSource source_;
};

std::array<uint64_t, kSegmentKinds> SumOf(std::span<const TileCell> cells) {
  std::array<uint64_t, kSegmentKinds> sum{};
  for (const TileCell& cell : cells) {
    for (size_t kind = 0; kind < kSegmentKinds; ++kind) sum[kind] += cell.time_ns[kind];
  }
  return sum;
}

std::array<uint64_t, kSegmentKinds> LedgerOf(const Entity& thread) {
  return {thread.unknown_ns, thread.run_ns, thread.runnable_ns, thread.wait_ns, thread.spin_ns};
}

TEST(Tiles, TellHowAThreadSpentEachPixelAndForWhomItWaited) {
  const QueryRecording recording("figure1.txt");  // A: 0 run | 2 wait B | 10 run | 12 wait B
  const TiledRecording tiled(recording);
  const Tiles tiles = tiled.Make(0, 20, 5, "t0");
  const auto cells = tiles.Row(0);
  const Entity& a = tiled.timeline().entities()[0];
  ASSERT_EQ(a.name, "A");
  EXPECT_EQ(cells[0].time_ns[static_cast<size_t>(SegmentKind::kRun)], 2u);
  EXPECT_EQ(cells[0].time_ns[static_cast<size_t>(SegmentKind::kWait)], 2u);
  EXPECT_EQ(cells[1].time_ns[static_cast<size_t>(SegmentKind::kWait)], 4u);
  EXPECT_EQ(tiled.timeline().entities()[cells[1].waker].name, "B");
  EXPECT_EQ(cells[1].cause, WaitCause::kThread);
}

RC_GTEST_PROP(Tiles, AddUpToTheThreadsOwnTimes, (uint16_t seed)) {
  const QueryRecording recording(ParseScenario(RandomScenario(seed, 60)));
  for (const size_t windows : {size_t{0}, *rc::gen::inRange<size_t>(2, 40)}) {
    const TiledRecording tiled(recording, windows);
    const uint32_t pixels = *rc::gen::inRange<uint32_t>(1, 50);
    for (EntityId thread = 0; thread < tiled.timeline().thread_count(); ++thread) {
      const Tiles tiles = tiled.Make(0, tiled.length_ns(), pixels, absl::StrCat("t", thread));
      RC_ASSERT(SumOf(tiles.Row(0)) == LedgerOf(tiled.timeline().entities()[thread]));
    }
  }
}

RC_GTEST_PROP(Tiles, AreTheSameFromWindowsAndFromSegments, (uint16_t seed)) {
  const QueryRecording recording(ParseScenario(RandomScenario(seed, 60)));
  const auto windows = *rc::gen::inRange<size_t>(8, 60);
  const TiledRecording from_windows(recording, windows);
  const TiledRecording from_segments(recording);
  const uint32_t pixels = *rc::gen::inRange<uint32_t>(1, 8);
  for (EntityId thread = 0; thread < from_segments.timeline().thread_count(); ++thread) {
    const Tiles tiles =
        from_windows.Make(0, from_windows.length_ns(), pixels, absl::StrCat("t", thread));
    // The pixels' borders may lie elsewhere: each is compared with the same range from segments.
    for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
      const uint64_t start_ns = from_segments.timeline().start_ns();
      const uint64_t from_ns = tiles.borders_ns[pixel] - start_ns;
      const uint64_t to_ns = tiles.borders_ns[pixel + 1] - start_ns;
      if (from_ns == to_ns) continue;
      const Tiles literal = from_segments.Make(from_ns, to_ns, 1, absl::StrCat("t", thread));
      RC_ASSERT(tiles.Row(0)[pixel].time_ns == literal.Row(0)[0].time_ns);
    }
  }
}

RC_GTEST_PROP(Tiles, OfAnySplitOfARangeAddUp, (uint16_t seed)) {
  const QueryRecording recording(ParseScenario(RandomScenario(seed, 40)));
  const TiledRecording tiled(recording, *rc::gen::inRange<size_t>(1, 30));
  const uint64_t split_ns =
      *rc::gen::inRange<uint64_t>(1, std::max<uint64_t>(2, tiled.length_ns()));
  RC_PRE(split_ns < tiled.length_ns());
  auto first = SumOf(tiled.Make(0, split_ns, 3, "n0").Row(0));
  const auto second = SumOf(tiled.Make(split_ns, tiled.length_ns(), 4, "n0").Row(0));
  for (size_t kind = 0; kind < kSegmentKinds; ++kind) first[kind] += second[kind];
  RC_ASSERT(first == SumOf(tiled.Make(0, tiled.length_ns(), 7, "n0").Row(0)));
}

TEST(Tiles, OfAProcessAreThoseOfItsThreadsTogether) {
  const QueryRecording recording("figure3.txt");
  const TiledRecording tiled(recording);
  std::array<uint64_t, kSegmentKinds> all{};
  for (const Entity& entity : tiled.timeline().entities()) {
    if (entity.kind != EntityKind::kThread) continue;
    for (size_t kind = 0; kind < kSegmentKinds; ++kind) all[kind] += LedgerOf(entity)[kind];
  }
  EXPECT_EQ(SumOf(tiled.Make(0, tiled.length_ns(), 10, "r0").Row(0)), all);
}

TEST(Tiles, TellHowBusyADiskWas) {
  const QueryRecording recording("figure1.txt");
  const TiledRecording tiled(recording, 1);
  ASSERT_FALSE(tiled.units().devices.empty());
  const Tiles tiles =
      tiled.Make(0, tiled.length_ns(), 4, absl::StrCat("d", tiled.units().devices[0].id));
  const auto sum = SumOf(tiles.Row(0));
  EXPECT_GT(sum[static_cast<size_t>(SegmentKind::kRun)], 0u);
  EXPECT_EQ(
      sum[static_cast<size_t>(SegmentKind::kRun)] + sum[static_cast<size_t>(SegmentKind::kWait)],
      tiled.length_ns());
}

TEST(Tiles, AsBytesHaveSomethingWhereSomethingWas) {
  const QueryRecording recording("figure1.txt");
  const TiledRecording tiled(recording);
  const Tiles tiles = tiled.Make(0, tiled.length_ns(), 1, "t0,t1");
  const std::string bytes = TileBytes(tiles);
  EXPECT_EQ(bytes.substr(0, 4), "GTL1");
  EXPECT_EQ(bytes.size(), 32u + 2 * (4 + 4) + 2 * (4 + 5 + 1));
  for (size_t row = 0; row < 2; ++row) {
    for (size_t kind = 0; kind < kSegmentKinds; ++kind) {
      const auto share = static_cast<uint8_t>(bytes[32 + 2 * 8 + 2 * 4 + row * 5 + kind]);
      EXPECT_EQ(share > 0, tiles.Row(row)[0].time_ns[kind] > 0);
    }
  }
}

TEST(Tiles, OfAnOverviewBeginWithTheBusiest) {
  const QueryRecording recording("figure1.txt");
  const TiledRecording tiled(recording);
  const auto rows = OverviewRows(tiled.timeline(), tiled.units());
  ASSERT_GE(rows.size(), 4u);
  EXPECT_EQ(rows[0].kind, TileRowKind::kCpus);
  EXPECT_EQ(rows[1].kind, TileRowKind::kDevice);
  EXPECT_EQ(rows[2].kind, TileRowKind::kProcess);
  EXPECT_EQ(rows.back().kind, TileRowKind::kThread);
  EXPECT_TRUE(
      MakeTiles(tiled.source(), {.from_ns = 0, .to_ns = 20, .pixels = 4, .rows = rows}).ok());
}

TEST(Tiles, RefuseWhatIsNoRowOrTooMuch) {
  const QueryRecording recording("figure1.txt");
  const TiledRecording tiled(recording);
  for (const char* text : {"", "t", "x1", "t1,", "t-1", "t99999999999", "t1;t2"})
    EXPECT_FALSE(ParseTileRows(text).ok()) << text;
  const auto ask = [&](uint64_t from_ns, uint64_t to_ns, uint32_t pixels, TileRow row) {
    return MakeTiles(tiled.source(),
                     {.from_ns = from_ns, .to_ns = to_ns, .pixels = pixels, .rows = {row}})
        .status();
  };
  EXPECT_THAT(std::string(ask(0, 10, 1, {TileRowKind::kThread, 4711}).message()),
              HasSubstr("no row t4711"));
  EXPECT_FALSE(ask(0, 10, 1, {TileRowKind::kDevice, 0}).ok()) << "a thread is no device";
  EXPECT_FALSE(ask(5, 5, 1, {TileRowKind::kThread, 0}).ok());
  EXPECT_FALSE(ask(0, 1'000'000, 1, {TileRowKind::kThread, 0}).ok()) << "behind the end";
  EXPECT_FALSE(ask(0, 10, 2'000'000, {TileRowKind::kThread, 0}).ok());
}

TEST(Tiles, StopWhenAsked) {
  const QueryRecording recording("figure1.txt");
  const TiledRecording tiled(recording);
  const auto stopped = MakeTiles(tiled.source(), {.from_ns = 0,
                                                  .to_ns = 10,
                                                  .pixels = 2,
                                                  .rows = {{TileRowKind::kThread, 0}},
                                                  .stop_asked = [] { return true; }});
  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace gordian
