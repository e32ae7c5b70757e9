// SPDX-License-Identifier: Apache-2.0
#include "views/thread_tiles.h"

#include <algorithm>
#include <tuple>

#include "analyzer/sums/joined_ledgers.h"

namespace gordian {
namespace {

// So often it is asked whether to stop: a fraction of a millisecond.
constexpr uint64_t kSegmentsPerQuestion = 1 << 16;

// The window of a row, by its place; rows are asked in order.
class WindowOfPlace {
 public:
  explicit WindowOfPlace(std::span<const uint64_t> ends) : ends_(ends) {}
  size_t Of(uint32_t place) {
    at_ = static_cast<size_t>(
        std::upper_bound(ends_.begin() + static_cast<std::ptrdiff_t>(at_), ends_.end(), place) -
        ends_.begin());
    return at_;
  }

 private:
  std::span<const uint64_t> ends_;
  size_t at_ = 0;
};

// The places of rows in windows [first, end).
std::span<const uint32_t> PlacesIn(std::span<const uint32_t> places, std::span<const uint64_t> ends,
                                   size_t first, size_t end) {
  const uint64_t from = first > 0 ? ends[first - 1] : 0;
  const uint64_t to = end > 0 ? ends[end - 1] : 0;
  const auto begin = std::lower_bound(places.begin(), places.end(), from);
  return {begin, std::lower_bound(begin, places.end(), to)};
}

WaitCause CauseOfWaker(const Timeline& timeline, EntityId waker) {
  if (waker >= timeline.entities().size()) return WaitCause::kThread;  // a virtual thread
  switch (timeline.entities()[waker].kind) {
    case EntityKind::kThread:
    case EntityKind::kVirtual:
      return WaitCause::kThread;
    case EntityKind::kDisk:
      return WaitCause::kDisk;
    case EntityKind::kNic:
    case EntityKind::kRemote:
    case EntityKind::kHeldBack:
      return WaitCause::kNic;
    case EntityKind::kTimer:
      return WaitCause::kTimer;
    case EntityKind::kIrq:
      return WaitCause::kIrq;
    case EntityKind::kLink:
      return WaitCause::kLink;
    case EntityKind::kUnknown:
      return WaitCause::kUnknown;
  }
  return WaitCause::kUnknown;
}

}  // namespace

bool ThreadTiles::Add(EntityId thread, std::span<TileCell> cells) {
  const Entity& entity = source_.timeline().entities()[thread];
  waits_.clear();
  for (const TileColumns::Run& run : columns_.runs()) {
    const auto& borders = columns_.borders();
    if (entity.end_ns <= borders[run.first] || entity.begin_ns >= borders[run.end]) continue;
    if (run.from_windows) {
      AddWindows(thread, run, cells);
      AddWaitsOfWindows(thread, run);
    } else if (!AddSegments(thread, run, cells)) {
      return false;
    }
  }
  TakeLongest(cells);
  return true;
}

bool ThreadTiles::AddSegments(EntityId thread, const TileColumns::Run& run,
                              std::span<TileCell> cells) {
  const auto& borders = columns_.borders();
  const uint64_t to_ns = borders[run.end];
  uint32_t column = run.first;
  of_column_.clear();
  const auto close_column = [&] {
    for (const auto& [key, ns] : of_column_) {
      waits_.push_back({.column = column,
                        .cause = static_cast<WaitCause>(key >> 32),
                        .waker = static_cast<EntityId>(key),
                        .ns = ns});
    }
    of_column_.clear();
  };
  for (SegmentCursor at = source_.timeline().SegmentsFrom(thread, borders[run.first]);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    if (++segments_read_ % kSegmentsPerQuestion == 0 && stop_asked_ && stop_asked_()) return false;
    uint64_t from_ns = std::max(at.start_ns(), borders[run.first]);
    const uint64_t end_ns = std::min(at.end_ns(), to_ns);
    const ThreadSegment& segment = at.segment();
    const bool is_wait = segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
    const uint64_t key = uint64_t{static_cast<uint8_t>(segment.cause)} << 32 | segment.waker;
    while (from_ns < end_ns) {
      while (borders[column + 1] <= from_ns) {
        close_column();
        ++column;
      }
      const uint64_t part_ns = std::min(end_ns, borders[column + 1]) - from_ns;
      cells[column].time_ns[static_cast<size_t>(segment.kind)] += part_ns;
      if (is_wait) of_column_[key] += part_ns;
      from_ns += part_ns;
    }
  }
  close_column();
  return true;
}

void ThreadTiles::AddState(EntityId thread, SegmentKind state, size_t first_window,
                           size_t end_window, std::span<TileCell> cells) const {
  const std::span<const uint64_t> windows_ns = source_.windows().borders_ns;
  const Entity& entity = source_.timeline().entities()[thread];
  columns_.Spread(std::max(windows_ns[first_window], entity.begin_ns),
                  std::min(windows_ns[end_window], entity.end_ns),
                  [&](uint32_t column, uint64_t from_ns, uint64_t to_ns) {
                    cells[column].time_ns[static_cast<size_t>(state)] += to_ns - from_ns;
                  });
}

void ThreadTiles::AddWindows(EntityId thread, const TileColumns::Run& run,
                             std::span<TileCell> cells) {
  const WindowSumsView& windows = source_.windows();
  const Entity& entity = source_.timeline().entities()[thread];
  const std::span<const uint32_t> all = source_.LedgersOf(thread);
  const auto rows = PlacesIn(all, windows.ledgers.ends, run.first_window, run.end_window);
  const size_t before = static_cast<size_t>(rows.data() - all.data());
  SegmentKind state = SegmentKind::kUnknown;
  if (!rows.empty()) {
    state = windows.ledgers.rows[rows.front()].at_start;
  } else if (before > 0) {
    state = windows.ledgers.rows[all[before - 1]].at_end;
  } else if (!all.empty()) {
    state = windows.ledgers.rows[all.front()].at_start;
  } else {
    // Its whole life lies in one window, or it did one thing all its life.
    const auto end = std::lower_bound(windows.borders_ns.begin(), windows.borders_ns.end(),
                                      std::max(entity.end_ns, entity.begin_ns + 1));
    const bool is_within = end != windows.borders_ns.begin() && end != windows.borders_ns.end() &&
                           *(end - 1) <= entity.begin_ns;
    if (is_within) {
      TileCell& cell = cells[columns_.ColumnOf(*(end - 1))];
      const uint64_t of_kind[kSegmentKinds] = {entity.unknown_ns, entity.run_ns, entity.runnable_ns,
                                               entity.wait_ns, entity.spin_ns};
      for (size_t kind = 0; kind < kSegmentKinds; ++kind) cell.time_ns[kind] += of_kind[kind];
      return;
    }
    const SegmentCursor at = source_.timeline().SegmentsFrom(
        thread, std::max(entity.begin_ns, windows.borders_ns[run.first_window]));
    if (!at.done()) state = at.segment().kind;
  }
  size_t next = run.first_window;
  WindowOfPlace window_of(windows.ledgers.ends);
  for (const uint32_t place : rows) {
    const Ledger& row = windows.ledgers.rows[place];
    const size_t window = window_of.Of(place);
    AddState(thread, state, next, window, cells);
    TileCell& cell = cells[columns_.ColumnOf(windows.borders_ns[window])];
    for (size_t kind = 0; kind < kSegmentKinds; ++kind) cell.time_ns[kind] += row.time_ns[kind];
    state = row.at_end;
    next = window + 1;
  }
  AddState(thread, state, next, run.end_window, cells);
}

void ThreadTiles::AddWaitsOfWindows(EntityId thread, const TileColumns::Run& run) {
  const WindowSumsView& windows = source_.windows();
  const Timeline& timeline = source_.timeline();
  WindowOfPlace window_of(windows.edges.ends);
  for (const uint32_t place :
       PlacesIn(source_.EdgesOf(thread), windows.edges.ends, run.first_window, run.end_window)) {
    const EdgeSum& edge = windows.edges.rows[place];
    waits_.push_back({.column = columns_.ColumnOf(windows.borders_ns[window_of.Of(place)]),
                      .cause = CauseOfWaker(timeline, edge.to),
                      .waker = edge.to < timeline.entities().size() ? edge.to : kNobody,
                      .ns = edge.own_ns});
  }
  // Waits over several windows stand in the one in which they begin.
  const uint64_t from_ns = columns_.borders()[run.first];
  const uint64_t to_ns = columns_.borders()[run.end];
  const auto& all = windows.straddlers.rows;
  const auto places = source_.StraddlersOf(thread);
  auto at = std::partition_point(places.begin(), places.end(),
                                 [&](uint32_t place) { return all[place].end_ns <= from_ns; });
  for (; at != places.end() && all[*at].start_ns < to_ns; ++at) {
    const WaitInterval& wait = all[*at];
    columns_.Spread(
        std::max(wait.start_ns, from_ns), std::min(wait.end_ns, to_ns),
        [&](uint32_t column, uint64_t part_from_ns, uint64_t part_to_ns) {
          waits_.push_back({.column = column,
                            .cause = CauseOfWaker(timeline, wait.waker),
                            .waker = wait.waker < timeline.entities().size() ? wait.waker : kNobody,
                            .ns = part_to_ns - part_from_ns});
        });
  }
}

void ThreadTiles::TakeLongest(std::span<TileCell> cells) {
  std::sort(waits_.begin(), waits_.end(), [](const WaitSum& a, const WaitSum& b) {
    return std::tie(a.column, a.waker, a.cause) < std::tie(b.column, b.waker, b.cause);
  });
  for (size_t i = 0; i < waits_.size();) {
    WaitSum sum = waits_[i];
    for (++i; i < waits_.size() && waits_[i].column == sum.column && waits_[i].waker == sum.waker &&
              waits_[i].cause == sum.cause;
         ++i)
      sum.ns += waits_[i].ns;
    TileCell& cell = cells[sum.column];
    if (std::tie(sum.ns, cell.waker) <= std::tie(cell.waker_ns, sum.waker)) continue;
    cell.waker_ns = sum.ns;
    cell.waker = sum.waker;
    cell.cause = sum.cause;
  }
}

}  // namespace gordian
