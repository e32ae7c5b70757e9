// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sums/joined_windows.h"

#include <algorithm>
#include <utility>

#include "analyzer/sums/joined_ledgers.h"

namespace gordian {

uint64_t WindowJoiner::BytesOf(const Window& window) {
  return window.cascade.edges.size() * sizeof(EdgeSum) +
         window.cascade.straddlers.size() * sizeof(WaitInterval) +
         window.ledgers.size() * sizeof(Ledger);
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
    bytes_ += BytesOf(windows_.back());
  }
  disk_waits_.insert(disk_waits_.end(), part.disk_waits.begin(), part.disk_waits.end());
  while (bytes_ > most_bytes_ && HalveWindows()) {
  }
}

// False if no two windows can be joined.
bool WindowJoiner::HalveWindows() {
  std::vector<Window> halved;
  bytes_ = 0;
  for (size_t i = 0; i < windows_.size(); ++i) {
    Window& first = windows_[i];
    const bool joins = i + 1 < windows_.size() &&
                       !std::ranges::binary_search(kept_borders_ns_, first.cascade.to_ns);
    if (joins) {
      Window& second = windows_[++i];
      halved.push_back(
          {Joined(first.cascade, second.cascade),
           JoinedLedgers(entities_, {first.cascade.from_ns, first.cascade.to_ns, first.ledgers},
                         {second.cascade.from_ns, second.cascade.to_ns, second.ledgers})});
      second = {};
    } else {
      halved.push_back(std::move(first));
    }
    first = {};
    bytes_ += BytesOf(halved.back());
  }
  const bool is_less = halved.size() < windows_.size();
  windows_ = std::move(halved);
  return is_less;
}

SweptWindows WindowJoiner::Take() {
  SweptWindows all;
  all.disk_waits = std::exchange(disk_waits_, {});
  if (!windows_.empty()) all.borders_ns.push_back(windows_.front().cascade.from_ns);
  for (Window& window : windows_) {
    all.borders_ns.push_back(window.cascade.to_ns);
    all.edges.Add(window.cascade.edges);
    all.straddlers.Add(window.cascade.straddlers);
    all.cyclic_links.push_back(window.cascade.cyclic_links);
    all.ledgers.Add(window.ledgers);
    window = {};
  }
  windows_.clear();
  bytes_ = 0;
  return all;
}

}  // namespace gordian
