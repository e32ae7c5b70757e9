// SPDX-License-Identifier: Apache-2.0
// What threads did at every moment.
#include <algorithm>
#include <array>

#include "absl/container/flat_hash_set.h"
#include "query/segment_walk.h"
#include "query/tables.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 5> kSegmentNames = {"unknown", "run", "runnable", "wait",
                                                           "spin"};
enum SegmentColumn : int { kKindColumn = 3, kCpuColumn = 4, kCauseColumn = 7, kOpenColumn = 8 };

bool IsOnCpu(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kSpin;
}
bool IsWaitOrSpin(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
}
unsigned OpenBits(const ThreadSegment& segment) {
  return static_cast<unsigned>(segment.open_start | segment.open_end << 1);
}

// By columns of few different values rows are sorted by one walk for each of these. A walk reads a
// segment in about 3 ns, while SQLite needs 200 ns and more to sort a row. So more walks than this
// would not gain much.
constexpr size_t kMostWalks = 64;

// How many different values the column has; 0: not known.
size_t ValuesOfColumn(const Timeline& timeline, int column) {
  switch (column) {
    case kKindColumn:
      return kSegmentNames.size();
    case kCpuColumn:
      return size_t{timeline.cpus()} + 1;  // with null
    case kCauseColumn:
      return kWaitCauseNames.size() + 1;
    case kOpenColumn:
      return 4;
    default:
      return 0;
  }
}

bool CanSortSegments(QueriedRecording& recording, std::span<const int> columns) {
  size_t walks = 1;
  for (const int column : columns) {
    const size_t values = ValuesOfColumn(recording.timeline(), column);
    if (values == 0 || values > kMostWalks) return false;
    walks *= values;
    if (walks > kMostWalks) return false;
  }
  return true;
}

// The place of each name in their order.
template <size_t size>
std::array<uint64_t, size> RanksOf(const std::array<std::string_view, size>& names) {
  std::array<uint64_t, size> ranks{};
  for (size_t i = 0; i < size; ++i)
    ranks[i] = static_cast<uint64_t>(std::count_if(
        names.begin(), names.end(), [&](std::string_view other) { return other < names[i]; }));
  return ranks;
}
const auto kRankOfKind = RanksOf(kSegmentNames);
const auto kRankOfCause = RanksOf(kWaitCauseNames);

// The column's value as a number in SQL's order; null is the least.
uint64_t RankOfColumn(const ThreadSegment& segment, int column) {
  switch (column) {
    case kKindColumn:
      return kRankOfKind[static_cast<size_t>(segment.kind)];
    case kCpuColumn:
      return IsOnCpu(segment) ? uint64_t{segment.state} + 1 : 0;
    case kCauseColumn:
      return IsWaitOrSpin(segment) ? kRankOfCause[static_cast<size_t>(segment.cause)] + 1 : 0;
    default:
      return OpenBits(segment);
  }
}

class SegmentRows : public SqlRows {
 public:
  SegmentRows(const Timeline& timeline, const RowLimits& limits)
      : timeline_(timeline), limits_(limits), walk_(NewWalk()) {
    for (size_t kind = 0; kind < kSegmentNames.size(); ++kind)
      is_wanted_[kind] = limits.HoldsKind(kSegmentNames[kind]);
    if (!limits.sort_by.empty()) FindKeys();
  }
  bool Next() override {
    if (limits_.sort_by.empty()) return NextWanted();
    while (next_key_ < keys_.size()) {
      while (NextWanted()) {
        if (KeyOf(walk_.at().segment()) == keys_[next_key_]) return true;
      }
      if (++next_key_ < keys_.size()) walk_ = NewWalk();
    }
    return false;
  }
  void Tell(size_t column, SqlValue& value) const override {
    const ThreadSegment& segment = walk_.at().segment();
    switch (column) {
      case 0:
        return value.Integer(walk_.thread());
      case 1:
        return value.Integer(walk_.begin_ns());
      case 2:
        return value.Integer(walk_.end_ns());
      case 3:
        return value.StaticText(NameIn(kSegmentNames, segment.kind));
      case 4:
        return IsOnCpu(segment) ? value.Integer(segment.state) : value.Null();
      case 5:
        return segment.kind == SegmentKind::kWait ? value.Integer(segment.state) : value.Null();
      case 6:
        return TellEntity(segment.waker, value);
      case 7:
        return IsWaitOrSpin(segment) ? value.StaticText(NameIn(kWaitCauseNames, segment.cause))
                                     : value.Null();
      default:
        return value.Integer(OpenBits(segment));
    }
  }
  int64_t Number() const override { return walk_.Number(); }

 private:
  SegmentWalk NewWalk() const { return {timeline_, limits_, limits_.begin, limits_.end}; }
  bool NextWanted() {
    while (walk_.Next()) {
      if (is_wanted_[static_cast<size_t>(walk_.at().segment().kind)]) return true;
    }
    return false;
  }
  // Of all columns that rows are sorted by; none has more than 2^17 values.
  uint64_t KeyOf(const ThreadSegment& segment) const {
    uint64_t key = 0;
    for (const int column : limits_.sort_by) key = key << 17 | RankOfColumn(segment, column);
    return key;
  }
  // Only keys that rows have get a walk.
  void FindKeys() {
    absl::flat_hash_set<uint64_t> known;  // hostile recordings tell of any number of CPUs
    while (NextWanted()) {
      const uint64_t key = KeyOf(walk_.at().segment());
      const bool is_last = !keys_.empty() && keys_.back() == key;
      if (!is_last && known.insert(key).second) keys_.push_back(key);
    }
    std::sort(keys_.begin(), keys_.end());
    walk_ = NewWalk();
  }

  const Timeline& timeline_;
  RowLimits limits_;
  SegmentWalk walk_;
  std::array<bool, kSegmentNames.size()> is_wanted_{};
  std::vector<uint64_t> keys_;
  size_t next_key_ = 0;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenSegments(QueriedRecording& queried,
                                                      const RowLimits& limits) {
  return std::make_unique<SegmentRows>(queried.timeline(), limits);
}

}  // namespace

SqlTable SegmentTable() {
  return {.name = "segment",
          .about = "What each thread did at every moment, without gaps",
          .example = "SELECT kind, count(*), sum(end_ns - begin_ns) FROM segment GROUP BY kind",
          .columns = {{"thread", SqlType::kInteger, "thread.id"},
                      {"begin_ns", SqlType::kInteger, "when it began"},
                      {"end_ns", SqlType::kInteger, "when it ended"},
                      {"kind", SqlType::kText, "run, runnable, wait, spin, unknown"},
                      {"cpu", SqlType::kInteger, "of run and spin"},
                      {"state", SqlType::kInteger, "of wait: the kernel's bits"},
                      {"waker", SqlType::kInteger, "thread.id of who ended the wait"},
                      {"cause", SqlType::kText,
                       "of wait and spin: thread, disk, nic, timer, irq, spin, unknown, link"},
                      {"open", SqlType::kInteger,
                       "1: it began before the recording; 2: it ended later; 3: both"}},
          .key = 0,
          .kind = 3,
          .begin = 1,
          .end = 2,
          .order = {0, 1, 2},
          .can_sort_by = CanSortSegments,
          .open = OpenSegments};
}

}  // namespace gordian
