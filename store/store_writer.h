// SPDX-License-Identifier: Apache-2.0
// One result on its way into the store. (Include store/store.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace google::protobuf {
class MessageLite;
}

namespace gordian {

// A section to whose end bytes are appended, in any order with other sections' bytes. It holds up
// to 2 MiB in memory, the rest is in the file. Valid as long as its writer.
class GrowingSection {
 public:
  void Append(std::span<const std::byte> bytes);

 private:
  friend class StoreWriter;
  struct State;
  explicit GrowingSection(State* state) : state_(state) {}
  State* state_;
};

template <typename Value>
class GrowingColumn {
 public:
  static_assert(std::is_trivially_copyable_v<Value>);
  explicit GrowingColumn(GrowingSection section) : section_(section) {}
  void Append(std::span<const Value> values) { section_.Append(std::as_bytes(values)); }
  void Append(const Value& value) { Append(std::span(&value, 1)); }

 private:
  GrowingSection section_;
};

// A failure (the disk is full, the limit is reached, a name is taken) is kept: nothing is written
// any more, and Commit tells it. So a caller may write all its sections and ask once. `status` is
// worth a look in long work: what was written takes space on the disk until the writer is gone.
//
// What is not committed is nowhere, also if the process is killed.
//
// Thread-safe, but for calls about one section, and Commit.
class StoreWriter {
 public:
  struct Impl;
  explicit StoreWriter(std::unique_ptr<Impl> impl);  // for Store
  StoreWriter(StoreWriter&& other) noexcept;
  StoreWriter& operator=(StoreWriter&& other) noexcept;
  ~StoreWriter();

  // All sections from here to the next call are those of a result of that name among several
  // (StoredEntry::Member). No other thread may add any meanwhile.
  void BeginMember(std::string_view name);

  void AddBytes(std::string_view section, std::span<const std::byte> bytes);
  void AddMessage(std::string_view section, const google::protobuf::MessageLite& message);
  template <typename Value>
  void AddColumn(std::string_view section, std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    AddBytes(section, std::as_bytes(values));
  }

  // For data larger than memory.
  GrowingSection Grow(std::string_view section);
  template <typename Value>
  GrowingColumn<Value> GrowColumn(std::string_view section) {
    return GrowingColumn<Value>(Grow(section));
  }

  // Zeros, to be filled in any order by any threads until Commit. Then they are read-only, and stay
  // valid as long as the writer. Their blocks are on the disk before they are handed out.
  absl::StatusOr<std::span<std::byte>> MappedSection(std::string_view section, uint64_t bytes);

  absl::Status status() const;
  // Makes the entry visible in one step, in place of an older one of its key.
  absl::Status Commit();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
