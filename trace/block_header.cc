// SPDX-License-Identifier: Apache-2.0
#include "trace/block_header.h"

#include <endian.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace gordian {
namespace {

// The header as it lies in the file, every word little-endian.
struct WireHeader {
  uint8_t magic[8];
  uint16_t version;
  uint16_t header_bytes;
  uint16_t kind;
  uint16_t cpu;
  uint32_t payload_bytes;
  uint32_t raw_bytes;
  uint64_t sequence;
  uint64_t first_time_ns;
  uint64_t last_time_ns;
  uint32_t events;
  uint32_t reserved;
  uint64_t lost;
  uint64_t hash;
};
static_assert(sizeof(WireHeader) == kBlockHeaderBytes);
static_assert(offsetof(WireHeader, hash) == kBlockHeaderBytes - sizeof(uint64_t));

// The hash stands in a header's last 8 bytes and covers all bytes before it, in this and every
// later version.
uint64_t HeaderHash(const uint8_t* header, size_t header_bytes) {
  return XXH64(header, header_bytes - sizeof(uint64_t), 0);
}

bool SizesAreSane(const BlockHeader& header) {
  return header.payload_bytes > 0 && header.payload_bytes <= kMaxBlockPayloadBytes &&
         header.raw_bytes <= kMaxBlockRawBytes && header.events <= kMaxBlockEvents &&
         header.first_time_ns <= header.last_time_ns;
}

}  // namespace

void WriteBlockHeader(const BlockHeader& header, std::span<uint8_t, kBlockHeaderBytes> out) {
  WireHeader wire{};
  std::copy(kBlockMagic.begin(), kBlockMagic.end(), wire.magic);
  wire.version = htole16(header.version);
  wire.header_bytes = htole16(kBlockHeaderBytes);
  wire.kind = htole16(static_cast<uint16_t>(header.kind));
  wire.cpu = htole16(header.cpu);
  wire.payload_bytes = htole32(header.payload_bytes);
  wire.raw_bytes = htole32(header.raw_bytes);
  wire.sequence = htole64(header.sequence);
  wire.first_time_ns = htole64(header.first_time_ns);
  wire.last_time_ns = htole64(header.last_time_ns);
  wire.events = htole32(header.events);
  wire.lost = htole64(header.lost);
  std::memcpy(out.data(), &wire, sizeof(wire));
  wire.hash = htole64(HeaderHash(out.data(), kBlockHeaderBytes));
  std::memcpy(out.data(), &wire, sizeof(wire));
}

std::optional<BlockHeader> ParseBlockHeader(std::span<const uint8_t> bytes) {
  WireHeader wire;
  if (bytes.size() < sizeof(wire)) return std::nullopt;
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (!std::equal(kBlockMagic.begin(), kBlockMagic.end(), wire.magic)) return std::nullopt;

  BlockHeader header;
  header.version = le16toh(wire.version);
  header.header_bytes = le16toh(wire.header_bytes);
  if (header.header_bytes < kBlockHeaderBytes || header.header_bytes > kMaxBlockHeaderBytes ||
      header.header_bytes > bytes.size()) {
    return std::nullopt;
  }
  uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + header.header_bytes - sizeof(hash), sizeof(hash));
  if (le64toh(hash) != HeaderHash(bytes.data(), header.header_bytes)) return std::nullopt;

  header.kind = static_cast<BlockKind>(le16toh(wire.kind));
  header.cpu = le16toh(wire.cpu);
  header.payload_bytes = le32toh(wire.payload_bytes);
  header.raw_bytes = le32toh(wire.raw_bytes);
  header.sequence = le64toh(wire.sequence);
  header.first_time_ns = le64toh(wire.first_time_ns);
  header.last_time_ns = le64toh(wire.last_time_ns);
  header.events = le32toh(wire.events);
  header.lost = le64toh(wire.lost);
  if (header.version == 0) return std::nullopt;
  // A newer version may have other limits; its sizes only serve to step over it, within the file.
  if (header.version <= kBlockVersion && !SizesAreSane(header)) return std::nullopt;
  return header;
}

size_t FindBlockMagic(std::span<const uint8_t> bytes, size_t from) {
  if (from >= bytes.size()) return bytes.size();
  const auto found = std::search(bytes.begin() + static_cast<ptrdiff_t>(from), bytes.end(),
                                 kBlockMagic.begin(), kBlockMagic.end());
  if (found != bytes.end()) return static_cast<size_t>(found - bytes.begin());
  // A beginning of the magic at the very end may go on in the bytes that follow these.
  const size_t longest_part = std::min(bytes.size() - from, kBlockMagic.size() - 1);
  for (size_t part = longest_part; part > 0; --part) {
    if (std::equal(kBlockMagic.begin(), kBlockMagic.begin() + part, bytes.end() - part)) {
      return bytes.size() - part;
    }
  }
  return bytes.size();
}

}  // namespace gordian
