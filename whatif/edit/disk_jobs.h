// SPDX-License-Identifier: Apache-2.0
// What a thread asks of a disk in one system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whatif/edit/edit.h"
#include "whatif/score/score.h"

namespace gordian {

// The waits of one system call: steps, by their place among those given.
struct DiskJob {
  std::vector<size_t> waits;
  bool stores = false;
};

// `vertex` is a disk's.
bool IsOnDisk(const Score& score, uint32_t disk, uint32_t vertex,
              std::span<const uint32_t> vertex_of_entity);
// A wait for it, or for a kernel thread that passes on its completion.
bool IsDiskWait(const Score& score, const Step& step, uint32_t vertex,
                std::span<const uint32_t> vertex_of_entity);
// Of the steps of one thread.
std::vector<DiskJob> DiskJobsOf(const Score& score, std::span<const Step> steps, uint32_t vertex,
                                std::span<const uint32_t> vertex_of_entity);

// Of the operations that are not even asked for one in so many is asked for all the same
// (WaitChange::keeps_one_in): they stay whatever a variation drops.
Score KeepOneIn(const Score& score, const WaitChange& change,
                std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
