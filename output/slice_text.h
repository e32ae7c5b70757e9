// SPDX-License-Identifier: Apache-2.0
// Slices for a person to read.
#pragma once

#include <cstddef>
#include <string>

#include "schema/slice.pb.h"

namespace gordian {

struct SliceTextOptions {
  size_t most_rows = 10;   // of the table
  size_t most_nodes = 40;  // of the tree
};

// First a sentence with the answer, then the rows, then the tree of causes, then notes on what was
// not exact.
std::string SliceText(const pb::Slice& slice, const SliceTextOptions& options);

// What is in one and not in the other, or for how much longer.
std::string SliceDiffText(const pb::SliceDiff& diff, const SliceTextOptions& options);

// The tree of causes for Graphviz: `dot -Tsvg`. Arrows lead from cause to effect.
std::string SliceDot(const pb::Slice& slice);

// "Phase load of A/10, number 2 of 5. ", or nothing: what was asked about.
std::string AskedPhaseText(const pb::AskedPhase& phase);

}  // namespace gordian
