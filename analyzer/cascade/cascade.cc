// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/cascade.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <type_traits>

namespace gordian {
namespace {

static_assert(sizeof(EdgeSum) == 40 && std::is_trivially_copyable_v<EdgeSum>);
static_assert(sizeof(WaitInterval) == 24 && std::is_trivially_copyable_v<WaitInterval>);

bool IsBefore(const EdgeSum& a, const EdgeSum& b) {
  return std::tie(a.from, a.to) < std::tie(b.from, b.to);
}

void AddTo(EdgeSum& sum, const EdgeSum& more) {
  sum.own_ns += more.own_ns;
  sum.count += more.count;
  sum.longest_ns = std::max(sum.longest_ns, more.longest_ns);
  sum.behind_ns += more.behind_ns;
}

// Of two ordered rows of edges.
std::vector<EdgeSum> SumOf(std::span<const EdgeSum> first, std::span<const EdgeSum> second) {
  std::vector<EdgeSum> sums;
  sums.reserve(first.size() + second.size());
  auto b = second.begin();
  for (const EdgeSum& a : first) {
    for (; b != second.end() && IsBefore(*b, a); ++b) sums.push_back(*b);
    sums.push_back(a);
    if (b != second.end() && !IsBefore(a, *b)) AddTo(sums.back(), *b++);
  }
  sums.insert(sums.end(), b, second.end());
  return sums;
}

}  // namespace

CascadeSweeper::CascadeSweeper(size_t entities) : forest_(entities), row_of_(entities) {}

CascadeWindow CascadeSweeper::Sweep(std::span<const WaitInterval> waits, uint64_t from_ns,
                                    uint64_t to_ns) {
  waits_ = waits;
  from_ns_ = from_ns;
  to_ns_ = to_ns;
  cyclic_links_ = 0;
  weights_ns_.resize(waits.size());
  OrderBeginnings();
  OrderEnds();
  const auto end = [this](const TimedIndex& entry) {
    weights_ns_[entry.index] = forest_.End(waits_[entry.index].waiter, entry.time_ns);
  };
  // An end comes before a beginning at the same time: waits do not touch.
  size_t ended = 0;
  for (const TimedIndex& beginning : beginnings_) {
    while (ends_[ended].time_ns <= beginning.time_ns) end(ends_[ended++]);
    Begin(beginning);
  }
  while (ended < ends_.size()) end(ends_[ended++]);

  CascadeWindow window{.from_ns = from_ns, .to_ns = to_ns, .cyclic_links = cyclic_links_};
  for (size_t first = 0; first < waits.size();) {
    size_t next = first + 1;
    while (next < waits.size() && waits[next].waiter == waits[first].waiter) ++next;
    SumUpWaiter(first, next, window);
    first = next;
  }
  window.edges.shrink_to_fit();
  return window;
}

// Waits that were there when the window began come first, in the order in which they began.
void CascadeSweeper::OrderBeginnings() {
  beginnings_.clear();
  carried_.clear();
  for (uint32_t i = 0; i < waits_.size(); ++i) {
    const uint64_t start_ns = waits_[i].start_ns;
    (start_ns < from_ns_ ? carried_ : beginnings_).push_back({start_ns, i});
  }
  SortByTime(carried_, scratch_);
  SortByTime(beginnings_, scratch_);
  for (TimedIndex& entry : carried_) entry.time_ns = from_ns_;
  beginnings_.insert(beginnings_.begin(), carried_.begin(), carried_.end());
}

void CascadeSweeper::OrderEnds() {
  ends_.clear();
  for (uint32_t i = 0; i < waits_.size(); ++i)
    ends_.push_back({std::min(waits_[i].end_ns, to_ns_), i});
  SortByTime(ends_, scratch_);
}

void CascadeSweeper::Begin(const TimedIndex& entry) {
  const WaitInterval& wait = waits_[entry.index];
  const bool linked = forest_.Begin(wait.waiter, wait.waker, entry.time_ns);
  if (!linked && wait.start_ns >= from_ns_) ++cyclic_links_;
}

// The waiter's rows are the last ones. `row_of_` may hold anything of before: a row counts if it is
// one of these and of that edge.
EdgeSum& CascadeSweeper::Row(EntityId from, EntityId to, size_t first_row,
                             std::vector<EdgeSum>& rows) {
  const size_t row = row_of_[to];
  if (row >= first_row && row < rows.size() && rows[row].to == to) return rows[row];
  row_of_[to] = static_cast<uint32_t>(rows.size());
  return rows.emplace_back(EdgeSum{.from = from, .to = to});
}

void CascadeSweeper::SumUpWaiter(size_t first, size_t end, CascadeWindow& window) {
  std::vector<EdgeSum>& rows = window.edges;
  const size_t first_row = rows.size();
  for (size_t i = first; i < end; ++i) {
    const WaitInterval& wait = waits_[i];
    const uint64_t start_ns = std::max(wait.start_ns, from_ns_);
    const uint64_t own_ns = std::min(wait.end_ns, to_ns_) - start_ns;
    const uint64_t behind_ns = weights_ns_[i] - own_ns;
    const bool begins = wait.start_ns >= from_ns_;
    const bool inside = begins && wait.end_ns <= to_ns_;
    if (begins && !inside) window.straddlers.push_back(wait);
    if (!inside && behind_ns == 0) continue;
    EdgeSum& row = Row(wait.waiter, wait.waker, first_row, rows);
    row.behind_ns += behind_ns;
    if (!inside) continue;
    row.own_ns += own_ns;
    ++row.count;
    row.longest_ns = std::max(row.longest_ns, own_ns);
  }
  std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first_row), rows.end(), IsBefore);
}

CascadeWindow Joined(const CascadeWindow& first, const CascadeWindow& second) {
  CascadeWindow joined{.from_ns = first.from_ns,
                       .to_ns = second.to_ns,
                       .cyclic_links = first.cyclic_links + second.cyclic_links};
  std::vector<EdgeSum> ended;  // straddlers of the first that end within the second
  std::vector<WaitInterval> going_on;
  for (const WaitInterval& wait : first.straddlers) {
    if (wait.end_ns > second.to_ns) {
      going_on.push_back(wait);
      continue;
    }
    const uint64_t own_ns = wait.end_ns - wait.start_ns;
    ended.push_back({.from = wait.waiter,
                     .to = wait.waker,
                     .own_ns = own_ns,
                     .count = 1,
                     .longest_ns = own_ns});
  }
  joined.edges = SumOf(SumOf(first.edges, ended), second.edges);
  joined.edges.shrink_to_fit();
  std::ranges::merge(
      going_on, second.straddlers, std::back_inserter(joined.straddlers),
      [](const WaitInterval& a, const WaitInterval& b) { return a.waiter < b.waiter; });
  return joined;
}

}  // namespace gordian
