// SPDX-License-Identifier: Apache-2.0
// Whose the records of a window are.
#pragma once

#include <span>
#include <vector>

#include "analyzer/timeline/lives.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/window.h"

namespace gordian {

// A part of a window: the records of one thread.
struct ThreadShare {
  EntityId thread = kNobody;
  std::span<ThreadSegment> piece;
};

// In order of the window's slices, then of lives. A slice is its tid's; where the tid had several
// lives, it is cut at their borders.
std::vector<ThreadShare> ShareOut(const Window& window, const Lives& lives);

}  // namespace gordian
