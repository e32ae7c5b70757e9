// Changes, in the words of the report's vertices, as a variation of the score's threads, pairs and
// disks.
#pragma once

#include <span>
#include <vector>

#include "whatif/replay.h"
#include "whatif/score.h"
#include "whatif/variation.h"

namespace gordian {

Variation VariationOf(const Score& score, const Changes& changes,
                      std::span<const uint32_t> vertex_of_entity);

// The path of waits that are gone (WaitChange, or a disk at factor 0): for each vertex that waits
// so, what `given` says of it, or, if that is more, the share of its CPU time in the shorter runs
// between one such wait and the next. Kernel threads that only pass on that a disk is done are on
// it too.
std::vector<Path> PathsOf(const Score& score, const Variation& variation,
                          std::span<const Path> given, std::span<const uint32_t> vertex_of_entity);

// Takes them out: that CPU time, and the waits in the same calls, pauses by their share and others
// where nearly all are.
void RemovePaths(const Score& score, std::span<const Path> paths,
                 std::span<const uint32_t> vertex_of_entity, Variation& variation);

}  // namespace gordian
