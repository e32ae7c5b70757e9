// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/window_records.h"

namespace gordian {

void WindowRecords::Add(const DecodedBlock& block, uint64_t start_ns) {
  requests_.Add(block.block_records);
  packets_.Add(block.packet_records);
  packet_wakes_.Add(block.packet_wakes);
  local_messages_.Add(block.local_messages);
  for (StackRecordOfThread sample : block.stack_samples) {
    // Its time as a timeline can tell it.
    sample.time_ns = start_ns + SampleOfTid(sample, start_ns).since_start_ns;
    samples_.Add(sample);
  }
}

void WindowRecords::TakeUntil(uint64_t time_ns, const Lives& lives, uint64_t start_ns,
                              SettledWindow& window) {
  window.block_records = requests_.TakeUntil(time_ns);
  for (BlockRecord& record : window.block_records)
    record.thread = lives.Find(static_cast<int32_t>(record.thread), record.time_ns);
  window.packets = packets_.TakeUntil(time_ns);
  for (PacketRecord& record : window.packets)
    record.thread = lives.Find(static_cast<int32_t>(record.thread), record.time_ns);
  window.packet_wakes = packet_wakes_.TakeUntil(time_ns);
  for (PacketWake& wake : window.packet_wakes)
    wake.thread = lives.Find(static_cast<int32_t>(wake.thread), wake.time_ns);
  window.local_messages = local_messages_.TakeUntil(time_ns);
  for (LocalMessage& message : window.local_messages)
    message.thread = lives.Find(static_cast<int32_t>(message.thread), message.time_ns);
  window.stack_samples.clear();
  for (const StackRecordOfThread& sample : samples_.TakeUntil(time_ns)) {
    StackSample& taken = window.stack_samples.emplace_back(SampleOfTid(sample, start_ns));
    taken.thread = lives.Find(sample.tid, sample.time_ns);
  }
}

}  // namespace gordian
