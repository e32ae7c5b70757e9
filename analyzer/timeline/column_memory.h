// SPDX-License-Identifier: Apache-2.0
// Memory for the columns of a timeline: plain at first, beyond a limit the pages of files.
//
// The columns of a long recording are larger than a machine's memory. Then they lie in unlinked
// files that are mapped. Disk space is taken before it is mapped: a full disk is told when a
// column grows, never by a signal when it is written. If a file cannot grow, the rest is plain
// memory; `bytes_beyond_limit` tells how much.
//
// As soon as more is mapped than the limit, a watch looks five hundred times a second at the files'
// pages that this process holds. If there might be more than the limit by its next look, it gives
// all of them back. Their contents stay in
// the kernel's cache, or on the disk, and come back as they are touched. So code that walks over
// columns needs to know nothing of it, and other programs keep their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace gordian {

// Copies are the same memory; it lives as long as any of them.
class ColumnMemory {
 public:
  ColumnMemory();  // plain, without a limit
  // Plain up to `plain_bytes`, then files in `folder`. Of their pages about `resident_bytes` are
  // held at a time.
  struct Limits {
    std::string folder;
    uint64_t plain_bytes = 0;
    uint64_t resident_bytes = 0;
  };
  explicit ColumnMemory(const Limits& limits);

  uint64_t bytes_in_files() const;
  // Plain memory that was taken beyond the limit, because the folder takes no more.
  uint64_t bytes_beyond_limit() const;

  // Memory for `count` values, which keeps its place. Its contents are not set. Thread-safe. Ends
  // the process if there is no memory at all.
  template <typename T>
  std::span<T> Make(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
    return {reinterpret_cast<T*>(MakeBytes(count * sizeof(T))), count};
  }

  // Takes over memory that is mapped from files, read-only, and stays so as long as `owner`. Its
  // pages count among those of files, and are given back like these. `owner` lives as long as this.
  void Adopt(std::span<const std::span<const std::byte>> mapped, std::shared_ptr<void> owner);

  class Impl;

 private:
  friend class GrowingBytes;
  std::byte* MakeBytes(size_t bytes);
  std::shared_ptr<Impl> impl_;
};

// A row of bytes that grows at its end, and moves when it does. See Column.
class GrowingBytes {
 public:
  GrowingBytes() = default;  // plain
  explicit GrowingBytes(const ColumnMemory& memory);
  explicit GrowingBytes(std::span<const std::byte> elsewhere);
  ~GrowingBytes();
  GrowingBytes(GrowingBytes&& other) noexcept;
  GrowingBytes& operator=(GrowingBytes&& other) noexcept;

  std::byte* data() const { return data_; }
  size_t capacity() const { return capacity_; }
  // Room for at least that many, and for more than now.
  void GrowTo(size_t bytes);

 private:
  bool GrowFile(size_t bytes);
  void GrowPlain(size_t bytes);
  void Free();

  std::shared_ptr<ColumnMemory::Impl> memory_;  // null: plain, without a limit
  std::byte* data_ = nullptr;
  size_t capacity_ = 0;
  int file_ = -1;            // −1: plain memory
  bool is_foreign_ = false;  // it lies elsewhere
};

}  // namespace gordian
