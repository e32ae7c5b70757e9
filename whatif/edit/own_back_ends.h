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

// `added`, and behind each as many threads more of every kind that is there once for each of its
// threads, or more often. Threads that share a connection will share it with those that are added.
std::vector<AddedThreads> WithOwnBackEnds(const Score& score, std::span<const AddedThreads> added,
                                          std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
