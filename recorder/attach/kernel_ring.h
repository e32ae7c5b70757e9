// SPDX-License-Identifier: Apache-2.0
// One CPU's ring of records: written by the kernel's programs (bpf/state.bpf.h), read here in the
// same memory.
//
// Records stand one behind the other, each in one piece; a position only grows. A record that is
// not whole yet hides those behind it. A read record is zeroed before its place is given back, so
// that a new record's first word is 0 until it is written.
//
// Not thread-safe: one reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gordian {

class KernelRing {
 public:
  struct Shape {
    uint64_t ring_bytes = 0;  // powers of two
    uint64_t chunk_bytes = 0;
    uint64_t chunk_stride_bytes = 0;  // with spare room and padding
  };

  KernelRing() = default;  // of a CPU without a ring
  // `memory`: its first chunk. `end` is written by the kernel, `read_end` here; both may have any
  // value at first, the same.
  KernelRing(Shape shape, char* memory, const uint64_t* end, uint64_t* read_end)
      : shape_(shape),
        chunk_shift_(std::countr_zero(shape.chunk_bytes)),
        memory_(memory),
        end_(end),
        read_end_(read_end),
        position_(*read_end) {}

  bool exists() const { return memory_ != nullptr; }
  uint64_t bytes() const { return shape_.ring_bytes; }

  // The next record; empty if there is none, or it is not whole yet. Valid until Pop.
  std::span<const char> Front();
  // Takes away the record that Front gave.
  void Pop();
  // Gives the places of all that was taken away back to the kernel.
  void Release();

 private:
  char* At(uint64_t position) const {
    const uint64_t offset = position & (shape_.ring_bytes - 1);
    const uint64_t chunk = offset >> chunk_shift_;
    return memory_ + chunk * shape_.chunk_stride_bytes + (offset & (shape_.chunk_bytes - 1));
  }

  Shape shape_;
  int chunk_shift_ = 0;
  char* memory_ = nullptr;
  const uint64_t* end_ = nullptr;
  uint64_t* read_end_ = nullptr;
  uint64_t position_ = 0;
  uint64_t known_end_ = 0;  // no need to look again before
  uint64_t front_bytes_ = 0;
};

}  // namespace gordian
