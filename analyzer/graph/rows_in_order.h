// SPDX-License-Identifier: Apache-2.0
// Puts rows of groups behind each other in the order of the groups, while several threads make the
// groups in any order. Only those wait in memory of their own that were made before their turn.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace gordian {

template <typename Row>
class RowsInOrder {
 public:
  // Behind what `rows` has. It must outlive this.
  explicit RowsInOrder(std::vector<Row>& rows) : rows_(rows) {}

  // Each group from 0 on once. Thread-safe. When the last one is put, all are in `rows`.
  void Put(size_t group, std::vector<Row> of_group) {
    const std::lock_guard lock(mutex_);
    early_.emplace(group, std::move(of_group));
    for (auto first = early_.begin(); first != early_.end() && first->first == next_; ++next_) {
      rows_.insert(rows_.end(), first->second.begin(), first->second.end());
      first = early_.erase(first);
    }
  }

 private:
  std::mutex mutex_;  // guards all of these
  std::vector<Row>& rows_;
  std::map<size_t, std::vector<Row>> early_;
  size_t next_ = 0;
};

}  // namespace gordian
