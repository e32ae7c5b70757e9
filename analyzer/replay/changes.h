// Changes, in the words of the report's vertices, as a variation of the score's threads, pairs and
// disks.
#pragma once

#include <span>
#include <vector>

#include "analyzer/replay/replay.h"
#include "analyzer/replay/score.h"
#include "analyzer/replay/variation.h"

namespace gordian {

Variation VariationOf(const Score& score, const Changes& changes,
                      std::span<const uint32_t> vertex_of_entity);

// The path of waits that are gone (WaitChange, or a disk at factor 0): for each vertex that waits
// so, what `given` says of it, or else the share of its CPU time in the shorter runs between one
// such wait and the next.
std::vector<PathShare> PathsOf(const Score& score, const Variation& variation,
                               std::span<const PathShare> given,
                               std::span<const uint32_t> vertex_of_entity);

// Takes those shares off the CPU time of their threads.
void RemovePaths(std::span<const PathShare> paths, std::span<const uint32_t> vertex_of_entity,
                 Variation& variation);

}  // namespace gordian
