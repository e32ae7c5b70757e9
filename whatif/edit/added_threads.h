// SPDX-License-Identifier: Apache-2.0
// More threads of a kind, which share the recorded work.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/edit/edit.h"
#include "whatif/score/score.h"

namespace gordian {

// The work of the kind's threads is cut into pieces, each up to a hand-over to who asks for it: of
// all other kinds of threads the one that waits for it longest. What it does for others meanwhile
// (a question to a back end, a place in the queue before it) belongs to the same piece. The
// recorded threads and `added.count` more take the pieces in the recorded order. (0: the same
// threads share the same work.) If in the recording a thread already waited for a piece when it
// began, the piece does not begin before that wait, which asked for it. The last change to be made,
// as pieces are ranges of steps.
Score AddThreads(const Score& score, const AddedThreads& added,
                 std::span<const uint32_t> vertex_of_entity);

// The pool's threads, and so many more like the first of them, take its pieces.
Score WithPool(const Score& score, Pool pool, uint32_t more);

}  // namespace gordian
