// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sums/joined_windows.h"

#include <algorithm>
#include <utility>

#include "analyzer/sums/joined_ledgers.h"

namespace gordian {

uint64_t SweptWindow::bytes() const {
  return cascade.edges.size() * sizeof(EdgeSum) + cascade.straddlers.size() * sizeof(WaitInterval) +
         ledgers.size() * sizeof(Ledger);
}

SweptWindow JoinedWindow(std::span<const Entity> entities, SweptWindow& first,
                         SweptWindow& second) {
  const auto ledgers_of = [](const SweptWindow& window) {
    return LedgersOfWindow{window.cascade.from_ns, window.cascade.to_ns, window.ledgers};
  };
  SweptWindow joined = {Joined(first.cascade, second.cascade),
                        JoinedLedgers(entities, ledgers_of(first), ledgers_of(second))};
  first = second = {};
  return joined;
}

void AppendWindow(SweptWindow& window, SweptWindows& all) {
  if (all.borders_ns.empty()) all.borders_ns.push_back(window.cascade.from_ns);
  all.borders_ns.push_back(window.cascade.to_ns);
  all.edges.Add(window.cascade.edges);
  all.straddlers.Add(window.cascade.straddlers);
  all.cyclic_links.push_back(window.cascade.cyclic_links);
  all.ledgers.Add(window.ledgers);
  window = {};
}

void WindowJoiner::Add(const SweptWindows& part) {
  const auto rows_of = [](const auto& groups, size_t group) {
    const auto rows = groups.view().Of(group);
    return std::vector(rows.begin(), rows.end());
  };
  for (size_t i = 0; i < part.cyclic_links.size(); ++i) {
    windows_.push_back({{.from_ns = part.borders_ns[i],
                         .to_ns = part.borders_ns[i + 1],
                         .edges = rows_of(part.edges, i),
                         .straddlers = rows_of(part.straddlers, i),
                         .cyclic_links = part.cyclic_links[i]},
                        rows_of(part.ledgers, i)});
    bytes_ += windows_.back().bytes();
  }
  while (bytes_ > most_bytes_ && HalveWindows()) {
  }
}

// False if no two windows can be joined.
bool WindowJoiner::HalveWindows() {
  std::vector<SweptWindow> halved;
  bytes_ = 0;
  for (size_t i = 0; i < windows_.size(); ++i) {
    SweptWindow& first = windows_[i];
    const bool joins = i + 1 < windows_.size() &&
                       !std::ranges::binary_search(kept_borders_ns_, first.cascade.to_ns);
    halved.push_back(joins ? JoinedWindow(entities_, first, windows_[++i]) : std::move(first));
    bytes_ += halved.back().bytes();
  }
  const bool is_less = halved.size() < windows_.size();
  windows_ = std::move(halved);
  return is_less;
}

SweptWindows WindowJoiner::Take() {
  SweptWindows all;
  // Rows are as large as the graph for each two kept borders: they must not move as they grow.
  size_t edges = 0;
  size_t ledgers = 0;
  for (const SweptWindow& window : windows_) {
    edges += window.cascade.edges.size();
    ledgers += window.ledgers.size();
  }
  all.edges.rows.reserve(edges);
  all.ledgers.rows.reserve(ledgers);
  for (SweptWindow& window : windows_) AppendWindow(window, all);
  windows_.clear();
  bytes_ = 0;
  return all;
}

}  // namespace gordian
