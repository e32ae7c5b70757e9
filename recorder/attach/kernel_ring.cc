// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/kernel_ring.h"

#include <algorithm>
#include <cstring>

#include "bpf/events.h"

namespace gordian {
namespace {

// The longest records: each lies in one piece, in a chunk and the spare room behind it.
template <typename Record>
constexpr bool kFits = sizeof(gd_ring_header) + sizeof(Record) <= GD_RING_SPARE_BYTES;
static_assert(kFits<gd_stack> && kFits<gd_wait_object> && kFits<gd_exec> && kFits<gd_work>);

}  // namespace

std::span<const char> KernelRing::Front() {
  if (!exists()) return {};
  if (position_ >= known_end_) {
    known_end_ = std::max(position_, __atomic_load_n(end_, __ATOMIC_ACQUIRE));
    if (position_ >= known_end_) return {};
  }
  const auto* header = reinterpret_cast<const gd_ring_header*>(At(position_));
  if (__atomic_load_n(&header->written, __ATOMIC_ACQUIRE) == 0) return {};
  // Only the kernel's programs write here. A length that no record of theirs has would be their
  // fault, and must not become ours.
  const uint64_t bytes =
      std::clamp<uint64_t>(header->bytes, sizeof(gd_ring_header), GD_RING_SPARE_BYTES);
  front_bytes_ = (bytes + 7) & ~uint64_t{7};
  return {reinterpret_cast<const char*>(header + 1), bytes - sizeof(gd_ring_header)};
}

void KernelRing::Pop() {
  std::memset(At(position_), 0, front_bytes_);
  position_ += front_bytes_;
  front_bytes_ = 0;
}

void KernelRing::Release() {
  if (exists()) __atomic_store_n(read_end_, position_, __ATOMIC_RELEASE);
}

}  // namespace gordian
