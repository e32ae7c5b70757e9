// SPDX-License-Identifier: Apache-2.0
#include "views/tiles.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/parallel.h"
#include "views/device_tiles.h"
#include "views/little_endian.h"
#include "views/thread_tiles.h"
#include "views/tile_columns.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr std::string_view kRowLetters = "tpcnrdu";
// Threads of one piece of work: of a row with many threads the others help.
constexpr size_t kThreadsAtATime = 128;

std::string RowText(const TileRow& row) {
  return absl::StrCat(std::string(1, kRowLetters[static_cast<size_t>(row.kind)]), row.id);
}

absl::Status CheckRequest(const TileSource& source, const TilesRequest& request) {
  const Timeline& timeline = source.timeline();
  if (request.from_ns >= request.to_ns || request.to_ns > timeline.end_ns() - timeline.start_ns())
    return absl::InvalidArgumentError("the range must hold time within the recording");
  if (request.pixels == 0 || request.rows.empty())
    return absl::InvalidArgumentError("tiles need one pixel and one row at least");
  if (request.rows.size() * uint64_t{request.pixels} > kMostTileCells)
    return absl::InvalidArgumentError("too many tiles: ask for fewer rows or pixels");
  for (const TileRow& row : request.rows) {
    if (!source.IsKnown(row))
      return absl::InvalidArgumentError(absl::StrCat("there is no row ", RowText(row)));
  }
  return absl::OkStatus();
}

// A few threads of a row, or its device.
struct TilePiece {
  size_t row = 0;
  size_t first = 0;
  size_t count = 0;
};

class TileMaker {
 public:
  TileMaker(const TileSource& source, const TilesRequest& request)
      : source_(source),
        request_(request),
        columns_(source.timeline().start_ns() + request.from_ns,
                 source.timeline().start_ns() + request.to_ns, request.pixels,
                 source.windows().borders_ns) {}

  absl::StatusOr<Tiles> Make() {
    tiles_.from_ns = request_.from_ns;
    tiles_.to_ns = request_.to_ns;
    tiles_.pixels = request_.pixels;
    tiles_.rows = request_.rows;
    tiles_.borders_ns = columns_.borders();
    tiles_.cells.resize(request_.rows.size() * request_.pixels);
    const std::vector<TilePiece> pieces = Pieces();
    ParallelFor(ThreadCount(request_.threads), pieces.size(),
                [&](size_t i, int) { MakePiece(pieces[i]); });
    if (stopped_) return absl::CancelledError("the question was taken back");
    for (size_t row = 0; row < request_.rows.size(); ++row) {
      const bool is_cpus = request_.rows[row].kind == TileRowKind::kCpus;
      tiles_.cpus.push_back(is_cpus ? source_.timeline().CpusOf(request_.rows[row].id) : 0);
      if (is_cpus) KeepCpuTime(CellsOf(row));
    }
    return std::move(tiles_);
  }

 private:
  std::span<TileCell> CellsOf(size_t row) {
    return std::span(tiles_.cells).subspan(row * request_.pixels, request_.pixels);
  }

  std::vector<TilePiece> Pieces() const {
    std::vector<TilePiece> pieces;
    for (size_t row = 0; row < request_.rows.size(); ++row) {
      if (request_.rows[row].kind == TileRowKind::kDevice) {
        pieces.push_back({.row = row});
        continue;
      }
      EntityId scratch = kNobody;
      const size_t threads = source_.ThreadsOf(request_.rows[row], scratch).size();
      for (size_t first = 0; first < threads; first += kThreadsAtATime)
        pieces.push_back({row, first, std::min(kThreadsAtATime, threads - first)});
    }
    return pieces;
  }

  void MakePiece(const TilePiece& piece) {
    if (stopped_) return;
    if (request_.stop_asked && request_.stop_asked()) {
      stopped_ = true;
      return;
    }
    const TileRow& row = request_.rows[piece.row];
    if (row.kind == TileRowKind::kDevice)
      return AddDevice(source_, columns_, row.id, CellsOf(piece.row));
    EntityId scratch = kNobody;
    std::vector<TileCell> cells(request_.pixels);
    ThreadTiles threads(source_, columns_, request_.stop_asked);
    for (const EntityId thread :
         source_.ThreadsOf(row, scratch).subspan(piece.first, piece.count)) {
      if (threads.Add(thread, cells)) continue;
      stopped_ = true;
      return;
    }
    const std::scoped_lock lock(mutex_);
    tiles_.segments_read += threads.segments_read();
    AddCells(cells, CellsOf(piece.row));
  }

  // The order in which pieces come does not change the result.
  static void AddCells(std::span<const TileCell> cells, std::span<TileCell> to) {
    for (size_t i = 0; i < cells.size(); ++i) {
      for (size_t kind = 0; kind < kSegmentKinds; ++kind)
        to[i].time_ns[kind] += cells[i].time_ns[kind];
      if (cells[i].waker_ns < to[i].waker_ns ||
          (cells[i].waker_ns == to[i].waker_ns && cells[i].waker >= to[i].waker))
        continue;
      to[i].waker_ns = cells[i].waker_ns;
      to[i].waker = cells[i].waker;
      to[i].cause = cells[i].cause;
    }
  }

  static void KeepCpuTime(std::span<TileCell> cells) {
    for (TileCell& cell : cells) {
      cell.time_ns[static_cast<size_t>(SegmentKind::kWait)] = 0;
      cell.time_ns[static_cast<size_t>(SegmentKind::kUnknown)] = 0;
      cell.waker_ns = 0;
      cell.waker = kNobody;
      cell.cause = WaitCause::kUnknown;
    }
  }

  const TileSource& source_;
  const TilesRequest& request_;
  const TileColumns columns_;
  Tiles tiles_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
};

// In 255ths, rounded so that there is something where something was.
uint8_t ShareOf(uint64_t ns, uint64_t whole_ns) {
  if (ns == 0 || whole_ns == 0) return 0;
  const double share = static_cast<double>(ns) / static_cast<double>(whole_ns);
  return static_cast<uint8_t>(std::clamp(std::lround(share * 255), 1L, 255L));
}

}  // namespace

absl::StatusOr<std::vector<TileRow>> ParseTileRows(std::string_view text) {
  std::vector<TileRow> rows;
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ',');
  for (const std::string& part : parts) {
    uint32_t id = 0;
    const size_t kind = part.empty() ? std::string_view::npos : kRowLetters.find(part.front());
    if (kind == std::string_view::npos || !absl::SimpleAtoi(part.substr(1), &id))
      return absl::InvalidArgumentError(
          absl::StrCat("rows: ", CleanText(part.substr(0, 20)), " is no row; write t12,p3,…"));
    rows.push_back({static_cast<TileRowKind>(kind), id});
    if (rows.size() > kMostTileCells)
      return absl::InvalidArgumentError("too many rows: ask for fewer");
  }
  return rows;
}

std::vector<TileRow> OverviewRows(const Timeline& timeline, const Units& units) {
  // As many of each as a person looks at; of a cluster the first.
  constexpr size_t kMostDevices = 24;
  std::vector<TileRow> rows;
  for (uint32_t node = 0; node < std::min(units.nodes.size(), kMostDevices); ++node)
    rows.push_back({TileRowKind::kCpus, node});
  for (size_t i = 0; i < std::min(units.devices.size(), kMostDevices); ++i)
    rows.push_back({TileRowKind::kDevice, units.devices[i].id});
  for (uint32_t i = 0; i < std::min(units.processes.size(), kOverviewProcesses); ++i)
    rows.push_back({TileRowKind::kProcess, i});
  std::vector<EntityId> threads = units.told_threads;
  const size_t count = std::min(threads.size(), kOverviewThreads);
  const auto busy_ns = [&](EntityId id) {
    const Entity& thread = timeline.entities()[id];
    return thread.run_ns + thread.spin_ns + thread.runnable_ns;
  };
  std::partial_sort(
      threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(count), threads.end(),
      [&](EntityId a, EntityId b) { return std::pair(busy_ns(b), a) < std::pair(busy_ns(a), b); });
  for (size_t i = 0; i < count; ++i) rows.push_back({TileRowKind::kThread, threads[i]});
  return rows;
}

template <typename Row, typename ThreadOf>
void TileSource::Places::Fill(std::span<const Row> rows, size_t threads, ThreadOf thread_of) {
  if (rows.size() > std::numeric_limits<uint32_t>::max()) return;
  first_.resize(threads + 1);
  for (const Row& row : rows) {
    if (thread_of(row) < threads) ++first_[thread_of(row) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  places_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (thread_of(rows[i]) < threads)
      places_[next[thread_of(rows[i])]++] = static_cast<uint32_t>(i);
  }
}

TileSource::TileSource(const Timeline& timeline, const WindowSumsView& windows, const Units& units)
    : timeline_(timeline),
      windows_(windows),
      units_(units),
      of_process_(units, UnitLevel::kProcess),
      of_container_(units, UnitLevel::kContainer),
      of_node_(units, UnitLevel::kNode),
      of_rack_(units, UnitLevel::kRack) {
  const size_t threads = timeline.thread_count();
  ledgers_.Fill(windows.ledgers.rows, threads, [](const Ledger& row) { return row.thread; });
  edges_.Fill(windows.edges.rows, threads, [](const EdgeSum& row) { return row.from; });
  straddlers_.Fill(windows.straddlers.rows, threads,
                   [](const WaitInterval& row) { return row.waiter; });
}

std::span<const EntityId> TileSource::ThreadsOf(const TileRow& row, EntityId& scratch) const {
  switch (row.kind) {
    case TileRowKind::kThread:
      scratch = row.id;
      return {&scratch, 1};
    case TileRowKind::kProcess:
      return of_process_.Of(row.id);
    case TileRowKind::kContainer:
      return of_container_.Of(row.id);
    case TileRowKind::kNode:
    case TileRowKind::kCpus:
      return of_node_.Of(row.id);
    case TileRowKind::kRack:
      return of_rack_.Of(row.id);
    case TileRowKind::kDevice:
      return {};
  }
  return {};
}

bool TileSource::IsKnown(const TileRow& row) const {
  switch (row.kind) {
    case TileRowKind::kThread:
      return row.id < timeline_.thread_count();
    case TileRowKind::kProcess:
      return row.id < units_.processes.size();
    case TileRowKind::kContainer:
      return row.id < units_.containers.size();
    case TileRowKind::kNode:
    case TileRowKind::kCpus:
      return row.id < units_.nodes.size();
    case TileRowKind::kRack:
      return row.id < units_.racks.size();
    case TileRowKind::kDevice:
      return row.id < timeline_.entities().size() &&
             (timeline_.entities()[row.id].kind == EntityKind::kDisk ||
              timeline_.entities()[row.id].kind == EntityKind::kNic);
  }
  return false;
}

absl::StatusOr<Tiles> MakeTiles(const TileSource& source, const TilesRequest& request) {
  if (const absl::Status fit = CheckRequest(source, request); !fit.ok()) return fit;
  return TileMaker(source, request).Make();
}

std::string TileBytes(const Tiles& tiles) {
  const size_t rows = tiles.cpus.size();
  std::string bytes = "GTL1";
  bytes.reserve(32 + 8 * rows + tiles.cells.size() * (sizeof(EntityId) + kSegmentKinds + 1));
  AppendLittleEndian(static_cast<uint32_t>(rows), bytes);
  AppendLittleEndian(tiles.pixels, bytes);
  AppendLittleEndian(static_cast<uint32_t>(std::min<uint64_t>(tiles.segments_read, UINT32_MAX)),
                     bytes);
  AppendLittleEndian(static_cast<double>(tiles.from_ns), bytes);
  AppendLittleEndian(static_cast<double>(tiles.to_ns), bytes);
  for (const TileRow& row : tiles.rows) AppendLittleEndian(static_cast<uint32_t>(row.kind), bytes);
  for (const TileRow& row : tiles.rows) AppendLittleEndian(row.id, bytes);
  for (const TileCell& cell : tiles.cells) AppendLittleEndian(cell.waker, bytes);
  for (size_t row = 0; row < rows; ++row) {
    for (uint32_t pixel = 0; pixel < tiles.pixels; ++pixel) {
      const auto& time_ns = tiles.Row(row)[pixel].time_ns;
      const uint64_t width_ns = tiles.borders_ns[pixel + 1] - tiles.borders_ns[pixel];
      const uint64_t all_ns = std::accumulate(time_ns.begin(), time_ns.end(), uint64_t{0});
      const uint64_t whole_ns =
          tiles.cpus[row] > 0 ? width_ns * tiles.cpus[row] : std::max(width_ns, all_ns);
      for (const uint64_t ns : time_ns) bytes += static_cast<char>(ShareOf(ns, whole_ns));
    }
  }
  for (const TileCell& cell : tiles.cells) bytes += static_cast<char>(cell.cause);
  return bytes;
}

}  // namespace gordian
