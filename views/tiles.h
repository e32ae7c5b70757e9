// SPDX-License-Identifier: Apache-2.0
// How rows of a timeline spent each pixel's time: the picture that stays quick at any size.
//
//   rows × pixels  ->  time in each state, and the longest wait's cause and waker
//
// Two sources give the same sums. Where the recording's windows (analyzer/sums) are finer than
// pixels, a pixel is a sum of windows: the cost is the rows that windows have of the asked threads,
// not their segments. A border of a pixel then lies at the nearest border of a window, at most half
// a pixel away. All other pixels are read from segments, from the one that holds their beginning
// on. So the time of a range is never counted twice or lost: the cells of a row add up to its
// threads' own times, to the nanosecond.
//
// Usage:
//   const TileSource source(analysis.timeline(), analysis.window_sums(), units);
//   const auto tiles = MakeTiles(source, {.from_ns = 0, .to_ns = …, .pixels = 1000, .rows = …});
//   response.body = TileBytes(*tiles);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/sums/window_sums.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"
#include "views/units.h"

namespace gordian {

enum class TileRowKind : uint8_t {
  kThread,   // id: EntityId
  kProcess,  // … and so on: the index in Units; all its threads together
  kContainer,
  kNode,
  kRack,
  kDevice,  // id: EntityId; run: busy
  kCpus     // id: the node; of all its CPUs
};

struct TileRow {
  TileRowKind kind = TileRowKind::kThread;
  uint32_t id = 0;
};

// "t12,p3,c0,n1,r0,d45,u0": a letter for each kind in their order, and the id. InvalidArgument with
// a line for the user if it is anything else.
absl::StatusOr<std::vector<TileRow>> ParseTileRows(std::string_view text);

// What a page holds that cannot ask: devices, CPUs, the busiest processes and threads.
inline constexpr size_t kOverviewProcesses = 60;
inline constexpr size_t kOverviewThreads = 120;
std::vector<TileRow> OverviewRows(const Timeline& timeline, const Units& units);

struct TilesRequest {
  uint64_t from_ns = 0;  // since the recording's start
  uint64_t to_ns = 0;
  uint32_t pixels = 0;
  std::vector<TileRow> rows;
  int threads = 0;
  std::function<bool()> stop_asked;  // may be empty
};

// More is no picture, and would take gigabytes.
inline constexpr uint64_t kMostTileCells = 1'000'000;

struct TileCell {
  // By SegmentKind. Of a device: busy time in kRun (of an interface without a known speed: none),
  // the rest in kWait. Of CPUs: as their threads', without waits.
  std::array<uint64_t, kSegmentKinds> time_ns{};
  // Of the waits or spins of this pixel that are longest as a sum over one waiter, waker and cause.
  // From windows: without those of short-lived threads, and spins count as waits.
  uint64_t waker_ns = 0;
  EntityId waker = kNobody;
  WaitCause cause = WaitCause::kUnknown;
};

struct Tiles {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint32_t pixels = 0;
  std::vector<uint64_t> borders_ns;  // of the pixels, on the recording's clock
  std::vector<TileCell> cells;       // row by row
  std::vector<TileRow> rows;
  std::vector<uint32_t> cpus;  // by row: of kCpus how many; else 0
  uint64_t segments_read = 0;

  std::span<const TileCell> Row(size_t row) const {
    return std::span(cells).subspan(row * pixels, pixels);
  }
};

// What all tiles of a recording share: an index of the windows' rows by thread, four bytes each.
class TileSource {
 public:
  // All must outlive it. Without windows all is read from segments.
  TileSource(const Timeline& timeline, const WindowSumsView& windows, const Units& units);

  const Timeline& timeline() const { return timeline_; }
  const WindowSumsView& windows() const { return windows_; }
  const Units& units() const { return units_; }
  // The threads of a row; a device's row has none. Valid as long as `scratch` is not changed.
  std::span<const EntityId> ThreadsOf(const TileRow& row, EntityId& scratch) const;
  bool IsKnown(const TileRow& row) const;
  // Places of rows in windows(), in order of windows.
  std::span<const uint32_t> LedgersOf(EntityId thread) const { return ledgers_.Of(thread); }
  std::span<const uint32_t> EdgesOf(EntityId thread) const { return edges_.Of(thread); }
  std::span<const uint32_t> StraddlersOf(EntityId thread) const { return straddlers_.Of(thread); }

 private:
  class Places {
   public:
    template <typename Row, typename ThreadOf>
    void Fill(std::span<const Row> rows, size_t threads, ThreadOf thread_of);
    std::span<const uint32_t> Of(EntityId thread) const {
      if (first_.empty()) return {};
      return std::span(places_).subspan(first_[thread], first_[thread + 1] - first_[thread]);
    }

   private:
    std::vector<uint32_t> first_;
    std::vector<uint32_t> places_;
  };

  const Timeline& timeline_;
  const WindowSumsView windows_;
  const Units& units_;
  ThreadsOfUnits of_process_, of_container_, of_node_, of_rack_;
  Places ledgers_, edges_, straddlers_;
};

// InvalidArgument for a row that does not exist, no time, or too many cells; Cancelled if it was
// asked to stop.
absl::StatusOr<Tiles> MakeTiles(const TileSource& source, const TilesRequest& request);

// Little endian, for a picture:
//   char[4] "GTL1"; u32 rows, pixels; u32 segments read (at most 2^32 − 1); f64 from_ns, to_ns
//   u32 kind[rows], id[rows]     TileRow
//   u32 waker[rows][pixels]      EntityId, 0xffffffff: none
//   u8  share[rows][pixels][5]   by SegmentKind, in 255ths of a full pixel; 0 means none at all.
//   Full
//                                is the pixel's time; of several threads all their time in it; of
//                                CPUs as many times the pixel's time
//   u8  cause[rows][pixels]      WaitCause
std::string TileBytes(const Tiles& tiles);

}  // namespace gordian
