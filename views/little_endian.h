// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as bytes, as browsers read them. Inner to the library.
#pragma once

#include <bit>
#include <cstring>
#include <string>

namespace gordian {

template <typename Value>
void AppendLittleEndian(Value value, std::string& bytes) {
  static_assert(std::endian::native == std::endian::little);
  char raw[sizeof(Value)];
  std::memcpy(raw, &value, sizeof(Value));
  bytes.append(raw, sizeof(Value));
}

}  // namespace gordian
