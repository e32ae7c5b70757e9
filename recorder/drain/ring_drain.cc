// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/ring_drain.h"

#include <utility>

namespace gordian {
namespace {

constexpr uint64_t kSmallestRecordBytes = 32;  // a switch with the ring's own header
// So many records are read before their room is given back. If each record's room were given back
// at once, the kernel's programs would wait for that memory to come from this CPU.
constexpr uint64_t kRecordsBetweenReleases = 512;

}  // namespace

RingDrain::RingDrain(std::vector<KernelRing> rings, BlockSink sink,
                     std::vector<std::string> counted_calls, uint32_t own_network)
    : sink_(std::move(sink)),
      names_{.counted_calls = std::move(counted_calls),
             .interfaces = InterfaceNumbers(own_network)} {
  cpus_.resize(rings.size());
  for (size_t i = 0; i < rings.size(); ++i) {
    cpus_[i].ring = rings[i];
    cpus_[i].block.cpu = static_cast<uint16_t>(i);
    if (rings[i].exists()) cpus_[i].block.events.reserve(kBlockEvents);
  }
}

absl::StatusOr<uint64_t> RingDrain::Drain() {
  const uint64_t before = records_;
  reached_ends_ = true;
  for (Cpu& cpu : cpus_) {
    if (!cpu.ring.exists()) continue;
    if (absl::Status status = DrainCpu(cpu); !status.ok()) return status;
  }
  return records_ - before;
}

absl::Status RingDrain::DrainCpu(Cpu& cpu) {
  const uint64_t end = records_ + 2 * cpu.ring.bytes() / kSmallestRecordBytes + 1;
  while (records_ < end) {
    const uint64_t before = records_;
    TakeRecords(cpu, kRecordsBetweenReleases);
    cpu.ring.Release();
    if (records_ == before) return absl::OkStatus();  // empty
    if (cpu.block.events.size() < kBlockEvents) continue;
    if (absl::Status status = sink_(cpu.block); !status.ok()) return status;
  }
  reached_ends_ = false;
  return absl::OkStatus();
}

// Until the block is full, or there are no more.
void RingDrain::TakeRecords(Cpu& cpu, uint64_t most) {
  for (uint64_t i = 0; i < most && cpu.block.events.size() < kBlockEvents; ++i) {
    const std::span<const char> record = cpu.ring.Front();
    if (record.empty()) return;
    ++records_;
    // The shortest record has this much. A kind beyond is a record of no program of ours.
    const auto kind = reinterpret_cast<const gd_record*>(record.data())->kind;
    if (kind < GD_KINDS) ++cpu.records[kind];
    if (!AppendRecord(record.data(), record.size(), names_, cpu.block)) ++malformed_;
    cpu.ring.Pop();
  }
}

absl::Status RingDrain::Flush() {
  for (Cpu& cpu : cpus_) {
    if (cpu.block.empty()) continue;
    if (absl::Status status = sink_(cpu.block); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
