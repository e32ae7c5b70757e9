// SPDX-License-Identifier: Apache-2.0
// The file of an entry.
//
//   0             64 bytes: magic, version, sizes, a hash of the table, a hash of all that
//   a page on     the chunks of the sections, in any order, each at the beginning of a page
//   the last one  the table: the key, and name, size and chunks of each section
//
// Chunks hold kChunkBytes, but for the last of a section. Each has a hash of its own, so that a
// part of a section can be checked alone, and several at a time. A section that grows beside others
// lies in pieces; its reader maps them in a row.
//
// Numbers are in the machine's own order, and hashes are XXH3's: an entry never leaves its machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store_key.h"
#include "trace/file_io.h"

namespace gordian {

// Raised with any change of this format: it is part of an entry's file name.
inline constexpr uint32_t kEntryVersion = 1;
inline constexpr size_t kEntryHeaderBytes = 64;
// Small enough to check the part that is asked for and little else; large enough that an entry of
// 32 GiB is mapped in 16,384 pieces (the kernel allows 65,530).
inline constexpr uint64_t kChunkBytes = 2 << 20;
// Of one text in the table: fingerprints of thousands of nodes fit.
inline constexpr uint32_t kMaxTextBytes = 1 << 20;
// Of an entry of 4 TiB.
inline constexpr uint64_t kMaxTableBytes = 64 << 20;

struct StoredChunk {
  uint64_t offset = 0;
  uint64_t hash = 0;
  bool operator==(const StoredChunk&) const = default;
};

struct StoredSection {
  std::string name;
  uint64_t bytes = 0;
  std::vector<StoredChunk> chunks;
  bool operator==(const StoredSection&) const = default;
};

struct EntryTable {
  StoreKey key;
  std::string recording_path;  // where it lay; any bytes
  int64_t stored_realtime_ns = 0;
  std::vector<StoredSection> sections;
  bool operator==(const EntryTable&) const = default;
};

uint64_t PageBytes();
uint64_t RoundUpToPage(uint64_t bytes);

uint64_t ChunkCount(uint64_t section_bytes);
// How many bytes chunk `index` of a section holds.
uint64_t ChunkBytes(uint64_t section_bytes, uint64_t index);

uint64_t ContentHash(std::span<const std::byte> bytes);

// What names of a member's sections begin with.
std::string MemberPrefix(std::string_view member);

// The name of the file of the entry with this key.
std::string EntryFileName(const StoreKey& key);

std::string EncodeTable(const EntryTable& table);
// Nothing if the table breaks a rule. In the result names differ, and chunks are whole pages apart
// from each other and end before `table_offset`.
std::optional<EntryTable> DecodeTable(std::string_view bytes, uint64_t table_offset);

std::array<std::byte, kEntryHeaderBytes> EncodeHeader(uint64_t table_offset,
                                                      std::string_view table);

// Header and table of an entry's file. DataLoss if they do not check, or the file is larger or
// smaller than they say.
absl::StatusOr<EntryTable> ReadEntryTable(const FileHandle& file);

// The hash of `bytes` of the file. Read, not mapped: where the disk fails, this fails, and the
// process lives. DataLoss if the file ends before. `scratch` is memory for it.
absl::StatusOr<uint64_t> HashOfFile(const FileHandle& file, uint64_t offset, uint64_t bytes,
                                    std::vector<uint8_t>& scratch);

}  // namespace gordian
