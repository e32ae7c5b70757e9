// More threads of a kind, who share the recorded work.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/replay.h"
#include "whatif/score.h"

namespace gordian {

// What the kind's threads did is cut into pieces, each up to a hand-over to a program's thread of
// another kind; as many threads as there were and `added.count` more take them in the recorded
// order. (0: the same work is shared by the same threads.) A piece for somebody who in the
// recording already waited for it when it began does not begin before: it was asked for then.
// The last change to be made, as pieces are ranges of steps.
Score AddThreads(const Score& score, const AddedThreads& added,
                 std::span<const uint32_t> vertex_of_entity);

// The share of the lives of the kind's threads that they wait for what nobody explains: maybe for
// work that does not become more.
double ShareOutside(const Score& score, uint32_t vertex,
                    std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
