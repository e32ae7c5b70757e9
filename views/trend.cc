// SPDX-License-Identifier: Apache-2.0
#include "views/trend.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"

namespace gordian {
namespace {

constexpr size_t kFewestComparedRows = 5;  // of fewer, none can be called the odd one

uint32_t AsIndex(TrendMeasure measure) { return static_cast<uint32_t>(measure); }

// Row by row, measure by measure, window by window.
class TrendCells {
 public:
  TrendCells(size_t rows, size_t windows)
      : windows_(windows), cells_(rows * kTrendMeasures * windows) {}
  uint64_t& At(size_t row, TrendMeasure measure, size_t window) {
    return cells_[(row * kTrendMeasures + AsIndex(measure)) * windows_ + window];
  }
  std::span<const uint64_t> Of(size_t row, size_t measure) const {
    return std::span(cells_).subspan((row * kTrendMeasures + measure) * windows_, windows_);
  }
  void Add(const TrendCells& other) {
    for (size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
  }

 private:
  size_t windows_;
  std::vector<uint64_t> cells_;
};

constexpr uint32_t kNoRow = kNoUnit;

// Which row each unit is in: one of its own, that of the others, or none.
struct Rows {
  std::vector<uint32_t> row_of_unit;
  std::vector<uint32_t> unit_of_row;  // kNoUnit: the others
  uint64_t others = 0;
};

Rows ChooseRows(const Analysis& analysis, const Units& units, const TrendRequest& request) {
  const size_t count = UnitCount(units, request.level);
  std::vector<uint32_t> asked = request.only;
  if (asked.empty()) {
    asked.resize(count);
    std::iota(asked.begin(), asked.end(), 0u);
  }
  std::erase_if(asked, [&](uint32_t unit) { return unit >= count; });
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  const TimeRange whole = {request.windows.front().from_ns, request.windows.back().to_ns};
  std::vector<UnitTimes> times(count);
  const std::vector<UnitTimes> of_threads = TimesOfThreads(analysis, whole);
  for (EntityId id = 0; id < of_threads.size(); ++id)
    times[UnitOfThread(units, request.level, id)] += of_threads[id];
  std::stable_sort(asked.begin(), asked.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(times[a].cpu_ns(), times[a].wait_ns) >
           std::pair(times[b].cpu_ns(), times[b].wait_ns);
  });
  Rows rows;
  rows.row_of_unit.assign(count, kNoRow);
  const size_t most = std::clamp<size_t>(request.most_units, 1, kMostTrendUnits);
  for (size_t i = 0; i < asked.size(); ++i) {
    rows.row_of_unit[asked[i]] = static_cast<uint32_t>(std::min(i, most));
    if (i < most) rows.unit_of_row.push_back(asked[i]);
  }
  if (asked.size() > most) {
    rows.others = asked.size() - most;
    rows.unit_of_row.push_back(kNoUnit);
  }
  return rows;
}

void AddThread(const Timeline& timeline, EntityId thread, std::span<const TrendWindow> windows,
               size_t row, TrendCells& cells) {
  const uint64_t to_ns = windows.back().to_ns;
  size_t window = 0;
  for (auto at = timeline.SegmentsFrom(thread, windows.front().from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    TrendMeasure measure = TrendMeasure::kCpuNs;
    switch (at.segment().kind) {
      case SegmentKind::kRun:
      case SegmentKind::kSpin:
        break;
      case SegmentKind::kRunnable:
        measure = TrendMeasure::kReadyNs;
        break;
      case SegmentKind::kWait:
        measure = TrendMeasure::kWaitNs;
        break;
      case SegmentKind::kUnknown:
        continue;
    }
    while (window < windows.size() && windows[window].to_ns <= at.start_ns()) ++window;
    for (size_t i = window; i < windows.size() && windows[i].from_ns < at.end_ns(); ++i) {
      const uint64_t from_ns = std::max(windows[i].from_ns, at.start_ns());
      const uint64_t until_ns = std::min(windows[i].to_ns, at.end_ns());
      if (from_ns < until_ns) cells.At(row, measure, i) += until_ns - from_ns;
    }
  }
}

void AddTimes(const Timeline& timeline, const Units& units, const TrendRequest& request,
              const Rows& rows, TrendCells& cells) {
  const int threads = ThreadCount(request.threads);
  std::vector<TrendCells> of_worker(static_cast<size_t>(threads),
                                    TrendCells(rows.unit_of_row.size(), request.windows.size()));
  ParallelFor(threads, timeline.thread_count(), [&](size_t thread, int worker) {
    const auto id = static_cast<EntityId>(thread);
    const uint32_t row = rows.row_of_unit[UnitOfThread(units, request.level, id)];
    if (row != kNoRow)
      AddThread(timeline, id, request.windows, row, of_worker[static_cast<size_t>(worker)]);
  });
  for (const TrendCells& part : of_worker) cells.Add(part);
}

// By window of the traffic: the window of the trend that holds it.
std::vector<uint32_t> TrendWindowOf(const WindowTraffic& traffic,
                                    std::span<const TrendWindow> windows) {
  std::vector<uint32_t> result(traffic.borders_ns.size() - 1, kNoWindow);
  for (uint32_t i = 0; i < windows.size(); ++i) {
    const auto inside = WindowsBetween(traffic, windows[i].from_ns, windows[i].to_ns);
    if (!inside) continue;
    for (uint32_t at = inside->first; at < inside->end; ++at) result[at] = i;
  }
  return result;
}

void AddPackets(const Units& units, const TrendRequest& request, const Rows& rows,
                TrendCells& cells) {
  const WindowTraffic& measured = *request.traffic;
  const std::vector<uint32_t> unit_of = UnitsOfParties(measured.traffic, units, request.level);
  const std::vector<uint32_t> window_of = TrendWindowOf(measured, request.windows);
  const auto row_of = [&](uint32_t party) {
    return unit_of[party] == kNoUnit ? kNoRow : rows.row_of_unit[unit_of[party]];
  };
  for (const TrafficPair& pair : measured.traffic.pairs) {
    const uint32_t from = row_of(pair.from), to = row_of(pair.to);
    for (const SpanAmount& part : pair.spans) {
      const uint32_t told = measured.window_of_span[part.span];
      const uint32_t window = told == kNoWindow ? kNoWindow : window_of[told];
      if (window == kNoWindow) continue;
      if (from != kNoRow) {
        cells.At(from, TrendMeasure::kSentBytes, window) += part.amount.payload_bytes;
        cells.At(from, TrendMeasure::kSentMessages, window) += part.amount.messages;
      }
      if (to != kNoRow) {
        cells.At(to, TrendMeasure::kReceivedBytes, window) += part.amount.payload_bytes;
        cells.At(to, TrendMeasure::kReceivedMessages, window) += part.amount.messages;
      }
    }
  }
}

// The first and the last window may be shorter than the others: values are compared by length.
std::vector<uint64_t> AtOneLength(std::span<const uint64_t> values,
                                  std::span<const TrendWindow> windows) {
  std::vector<uint64_t> lengths;
  for (const TrendWindow& window : windows) lengths.push_back(window.to_ns - window.from_ns);
  const uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<uint64_t> result;
  for (size_t i = 0; i < values.size(); ++i)
    result.push_back(
        static_cast<uint64_t>(static_cast<double>(values[i]) * static_cast<double>(longest) /
                              static_cast<double>(lengths[i])));
  return result;
}

void FindOddRows(Trend& trend) {
  for (size_t measure = 0; measure < kTrendMeasures; ++measure) {
    std::vector<uint64_t> sums;
    for (const TrendRow& row : trend.rows)
      if (row.unit != kNoUnit)
        sums.push_back(
            std::accumulate(row.values[measure].begin(), row.values[measure].end(), uint64_t{0}));
    if (sums.size() >= kFewestComparedRows) trend.odd_rows[measure] = FindOutliers(sums).indices;
  }
}

}  // namespace

Trend TrendOf(const Analysis& analysis, const Units& units, const TrendRequest& request) {
  Trend trend;
  if (request.windows.empty()) return trend;
  const Rows rows = ChooseRows(analysis, units, request);
  TrendCells cells(rows.unit_of_row.size(), request.windows.size());
  AddTimes(analysis.timeline(), units, request, rows, cells);
  if (request.traffic != nullptr) AddPackets(units, request, rows, cells);
  // Phases last as long as they need: a long one is what one looks for.
  const bool by_time = request.windows.front().label.empty();
  trend.others = rows.others;
  for (size_t i = 0; i < rows.unit_of_row.size(); ++i) {
    TrendRow row{.unit = rows.unit_of_row[i], .values = {}, .outliers = {}};
    for (size_t measure = 0; measure < kTrendMeasures; ++measure) {
      const auto values = cells.Of(i, measure);
      row.values[measure].assign(values.begin(), values.end());
      row.outliers[measure] =
          by_time ? FindOutliers(AtOneLength(values, request.windows)) : FindOutliers(values);
    }
    trend.rows.push_back(std::move(row));
  }
  FindOddRows(trend);
  return trend;
}

}  // namespace gordian
