// SPDX-License-Identifier: Apache-2.0
// Slices by their definition: the execution graph, made point by point, and a search through it.
// Slow. Of the library it uses what a single wait or cause is, but no sweep.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "causes/causes.h"

namespace gordian {

// Thread, from, to; parts of one thread that touch each other are one.
using SliceParts = std::set<std::tuple<EntityId, uint64_t, uint64_t>>;

SliceParts LiteralSlice(const ExecutionGraph& graph, const SliceRequest& request);
SliceParts PartsOf(const Slice& slice);

}  // namespace gordian
