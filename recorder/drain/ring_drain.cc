#include "recorder/drain/ring_drain.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "absl/strings/str_cat.h"
#include "recorder/drain/records.h"

namespace gordian {
namespace {

constexpr uint64_t kSmallestRecordBytes = 32;  // a switch with the ring's own header

}  // namespace

absl::StatusOr<std::unique_ptr<RingDrain>> RingDrain::Create(std::span<const int> ring_fds,
                                                             uint64_t ring_bytes, BlockSink sink) {
  std::unique_ptr<RingDrain> drain(new RingDrain(ring_bytes, std::move(sink)));
  drain->cpus_.resize(ring_fds.size());  // never resized again: the rings hold pointers into it
  for (size_t i = 0; i < ring_fds.size(); ++i) {
    Cpu& cpu = drain->cpus_[i];
    cpu.drain = drain.get();
    cpu.block.cpu = static_cast<uint16_t>(i);
    if (ring_fds[i] < 0) continue;
    cpu.ring = ring_buffer__new(ring_fds[i], OnRecord, &cpu, nullptr);
    if (!cpu.ring)
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot map the kernel ring of CPU ", i, ": ", strerror(errno)));
  }
  return drain;
}

RingDrain::~RingDrain() {
  for (Cpu& cpu : cpus_) ring_buffer__free(cpu.ring);
}

// A negative return value interrupts the ring's consumption after this record.
int RingDrain::OnRecord(void* context, void* record, size_t size) {
  Cpu& cpu = *static_cast<Cpu*>(context);
  ++cpu.drain->records_;
  if (!AppendRecord(record, size, cpu.drain->stack_ids_, cpu.block)) ++cpu.drain->malformed_;
  return cpu.block.events.size() >= kBlockEvents ? -ENOBUFS : 0;
}

absl::StatusOr<uint64_t> RingDrain::Drain() {
  const uint64_t before = records_;
  for (Cpu& cpu : cpus_) {
    if (!cpu.ring) continue;
    if (absl::Status status = DrainCpu(cpu); !status.ok()) return status;
  }
  return records_ - before;
}

absl::Status RingDrain::DrainCpu(Cpu& cpu) {
  const uint64_t end = records_ + 2 * ring_bytes_ / kSmallestRecordBytes + 1;
  while (records_ < end) {
    const int result = ring_buffer__consume(cpu.ring);
    if (result >= 0) return absl::OkStatus();  // empty
    if (result != -ENOBUFS)
      return absl::InternalError(
          absl::StrCat("reading the ring of CPU ", cpu.block.cpu, ": ", strerror(-result)));
    if (absl::Status status = sink_(cpu.block); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RingDrain::Flush() {
  for (Cpu& cpu : cpus_) {
    if (cpu.block.empty()) continue;
    if (absl::Status status = sink_(cpu.block); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
