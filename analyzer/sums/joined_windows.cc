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
  SetAsideWholeWindows();
}

bool WindowJoiner::EndsAtKeptBorder(const SweptWindow& window) const {
  return std::ranges::binary_search(kept_borders_ns_, window.cascade.to_ns);
}

// False if no two windows can be joined.
bool WindowJoiner::HalveWindows() {
  std::vector<SweptWindow> halved;
  bytes_ = set_aside_bytes_;
  for (size_t i = 0; i < windows_.size(); ++i) {
    SweptWindow& first = windows_[i];
    const bool joins = i + 1 < windows_.size() && !EndsAtKeptBorder(first);
    halved.push_back(joins ? JoinedWindow(entities_, first, windows_[++i]) : std::move(first));
    bytes_ += halved.back().bytes();
  }
  const bool is_less = halved.size() < windows_.size();
  windows_ = std::move(halved);
  return is_less;
}

// What is set aside ends at a kept border, or there is none. So the first of the windows begins at
// one, and if it ends at one, no other is ever joined to it.
void WindowJoiner::SetAsideWholeWindows() {
  size_t whole = 0;
  while (whole < windows_.size() && EndsAtKeptBorder(windows_[whole])) ++whole;
  for (SweptWindow& window : std::span(windows_).first(whole)) {
    set_aside_bytes_ += window.bytes();
    AppendWindow(window, set_aside_);
  }
  windows_.erase(windows_.begin(), windows_.begin() + static_cast<ptrdiff_t>(whole));
}

SweptWindows WindowJoiner::Take() {
  for (SweptWindow& window : windows_) AppendWindow(window, set_aside_);
  windows_.clear();
  bytes_ = set_aside_bytes_ = 0;
  return std::move(set_aside_);
}

}  // namespace gordian
