// SPDX-License-Identifier: Apache-2.0
// What blocks tell besides their threads' records, whether the recording goes on or not.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/hidden_switches.h"
#include "analyzer/timeline/lock_holders.h"
#include "analyzer/timeline/pauses.h"
#include "analyzer/timeline/wake_cause.h"

namespace gordian {

struct CommonFacts {
  std::vector<int32_t> mentioned;  // tids that may have no more than records
  std::vector<LockRecord> locks;
  PseudoThreads pseudo_threads;
  HiddenSwitches hidden_switches;

  // Of blocks in any order, those of a CPU in theirs.
  void Take(const DecodedBlock& block, const Pauses& pauses) {
    mentioned.insert(mentioned.end(), block.mentioned.begin(), block.mentioned.end());
    locks.insert(locks.end(), block.locks.begin(), block.locks.end());
    hidden_switches.Take(block, pauses);
    for (const WakeSource source : block.sources) pseudo_threads.Add(source);
    for (const BlockRecord& record : block.block_records) pseudo_threads.AddDisk(record.device);
    for (const PacketRecord& record : block.packet_records) pseudo_threads.AddNic(record.interface);
  }
};

}  // namespace gordian
