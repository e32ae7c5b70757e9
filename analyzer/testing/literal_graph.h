// SPDX-License-Identifier: Apache-2.0
// The wait-for graph of a range by its definitions, word for word: each instant's forest drawn
// anew, each segment clipped, each record looked at. Slow; for small recordings.
#pragma once

#include <string>

#include "analyzer/model/model.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// [from_ns, to_ns) must lie within the recording.
WaitForGraph LiteralGraph(const Waits& waits, uint64_t from_ns, uint64_t to_ns);

// The first thing in which they differ; empty if they do not.
std::string Difference(const WaitForGraph& a, const WaitForGraph& b);

}  // namespace gordian
