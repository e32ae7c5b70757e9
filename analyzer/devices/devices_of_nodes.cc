// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/devices_of_nodes.h"

#include <span>
#include <utility>

namespace gordian {
namespace {

// Window by window, those of `more` behind those of `first`.
template <typename Row>
RowGroups<Row> JoinedWindows(const RowGroups<Row>& first, const RowGroups<Row>& more) {
  RowGroups<Row> both;
  both.rows.reserve(first.rows.size() + more.rows.size());
  for (size_t window = 0; window < first.ends.size(); ++window) {
    const std::span<const Row> own = first.view().Of(window);
    both.rows.insert(both.rows.end(), own.begin(), own.end());
    both.Add(more.view().Of(window));
  }
  return both;
}

}  // namespace

void DevicesOfNodes::Add(CountedDevices node) {
  const DiskStretchesView more = node.disks.view();
  disks_.disks.insert(disks_.disks.end(), more.disks.begin(), more.disks.end());
  for (size_t place = 0; place < more.disks.size(); ++place) {
    disks_.busy.Add(more.busy.Of(place));
    disks_.several.Add(more.several.Of(place));
    disks_.requests_without_end.push_back(more.requests_without_end[place]);
  }
  runs_.push_back({1, std::move(node.devices), std::move(node.work), std::move(node.ended_idle)});
  while (runs_.size() > 1 && runs_[runs_.size() - 2].nodes <= runs_.back().nodes) JoinLastRuns();
}

void DevicesOfNodes::JoinLastRuns() {
  const Run last = std::move(runs_.back());
  runs_.pop_back();
  Run& before = runs_.back();
  before.nodes += last.nodes;
  before.devices = JoinedWindows(before.devices, last.devices);
  before.work = JoinedWindows(before.work, last.work);
  before.ended_idle = JoinedWindows(before.ended_idle, last.ended_idle);
}

CountedDevices DevicesOfNodes::Take() {
  while (runs_.size() > 1) JoinLastRuns();
  CountedDevices all;
  all.disks = std::move(disks_);
  if (runs_.empty()) return all;
  all.devices = std::move(runs_.front().devices);
  all.work = std::move(runs_.front().work);
  all.ended_idle = std::move(runs_.front().ended_idle);
  runs_.clear();
  return all;
}

}  // namespace gordian
