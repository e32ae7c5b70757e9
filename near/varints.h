// SPDX-License-Identifier: Apache-2.0
// Numbers in one byte for each seven bits, least first. Inner to the room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gordian {

inline void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Nothing if it does not end.
inline std::optional<uint64_t> TakeVarint(std::string_view& from) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(from.front());
    from.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace gordian
