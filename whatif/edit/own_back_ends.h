// SPDX-License-Identifier: Apache-2.0
// Back ends that answer one connection each: who gets more threads gets more of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "whatif/edit/edit.h"

namespace gordian {

// By thread: it serves threads of the vertices that `asks` names on one connection, and no other
// threads. It is of another program: threads of the same program do not grow with their
// connections. Of recorded scores only.
std::vector<uint8_t> BehindOneConnection(const Score& score,
                                         const std::function<bool(uint32_t vertex)>& asks,
                                         std::span<const uint32_t> vertex_of_entity);

// By thread: only one thread of another program asks it, on one connection, and that is none of the
// vertices that `asks` names. It has more connections than such threads, and yet never asked one of
// them anew before it had answered. So it is a pool or a limit, and this thread works on one
// request at a time, whatever way it waits. Of recorded scores only.
std::vector<uint8_t> OneAtATimeForAPool(const Score& score,
                                        const std::function<bool(uint32_t vertex)>& asks,
                                        std::span<const uint32_t> vertex_of_entity);

// The upper bound of the gain of more requests for them: the rest of their time, without work, is
// all that is left of them.
double MostOfThoseOneAtATime(const Score& score, const std::function<bool(uint32_t vertex)>& asks,
                             std::span<const uint32_t> vertex_of_entity);

// `added`, and behind each as many threads more of every kind that is there once for each of its
// threads, or more often. Threads that share a connection will share it with those that are added.
std::vector<AddedThreads> WithOwnBackEnds(const Score& score, std::span<const AddedThreads> added,
                                          std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
