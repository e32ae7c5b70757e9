// SPDX-License-Identifier: Apache-2.0
// Requests, packets and samples of decoded blocks, given out by windows.
#pragma once

#include <cstdint>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lives.h"
#include "analyzer/timeline/timed_records.h"
#include "analyzer/timeline/timeline_stream.h"

namespace gordian {

class WindowRecords {
 public:
  void Add(const DecodedBlock& block, uint64_t start_ns);
  // Those from before that time, with their threads.
  void TakeUntil(uint64_t time_ns, const Lives& lives, uint64_t start_ns, SettledWindow& window);

 private:
  TimedRecords<BlockRecord> requests_;
  TimedRecords<PacketRecord> packets_;
  TimedRecords<PacketWake> packet_wakes_;
  TimedRecords<LocalMessage> local_messages_;
  TimedRecords<StackRecordOfThread> samples_;
};

}  // namespace gordian
