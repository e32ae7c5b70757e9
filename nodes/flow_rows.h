// SPDX-License-Identifier: Apache-2.0
// Rows that lie flow by flow in room that was made for all of them at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace gordian {

// The first `count` of the room that is left; they are filled from the first on.
template <typename Row>
std::span<Row> TakeRoom(size_t count, std::span<Row>& room) {
  const std::span<Row> taken = room.first(count);
  room = room.subspan(count);
  return taken.first(0);
}

// In the room behind the rows that are there.
template <typename Row>
void PutRow(const Row& row, std::span<Row>& rows) {
  rows = {rows.data(), rows.size() + 1};
  std::construct_at(&rows.back(), row);
}

}  // namespace gordian
