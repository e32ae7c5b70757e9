// SPDX-License-Identifier: Apache-2.0
// A window's segments in a third of their bytes, at some nanoseconds each.
//
// Kind, state, cause and marks of a segment together are its form: there are few of them in a
// window, so a segment only names the number of its form. Its start is told by how far it is from
// the one before; its waker, if it has one, by its id. All numbers are bytes of seven bits each,
// the lowest first. A piece's first start and its length stand elsewhere.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

// Appends a window to `bytes`, piece by piece.
void EncodeSegments(std::span<const std::span<const ThreadSegment>> pieces,
                    std::vector<std::byte>& bytes);

// Fills in pieces of the same lengths; the first segment of each holds its start already. False if
// `bytes` is no such window.
bool DecodeSegments(std::span<const std::byte> bytes,
                    std::span<const std::span<ThreadSegment>> pieces);

}  // namespace gordian
