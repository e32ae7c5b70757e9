// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "trace/trace_event.h"

namespace gordian {
namespace {

constexpr size_t kNumberBytes = 8;

uint64_t NumberAt(const std::array<uint8_t, 16>& address, size_t place) {
  uint64_t number = 0;
  for (size_t i = kNumberBytes; i-- > 0;) number = number << 8 | address[place + i];
  return number;
}

void PutNumber(uint64_t number, size_t place, std::array<uint8_t, 16>& address) {
  for (size_t i = 0; i < kNumberBytes; ++i, number >>= 8)
    address[place + i] = static_cast<uint8_t>(number);
}

}  // namespace

LocalEnd LocalEndOf(const std::array<uint8_t, 16>& address) {
  return {.number = NumberAt(address, 0), .inode = NumberAt(address, kNumberBytes)};
}

std::array<uint8_t, 16> AddressOf(const LocalEnd& end) {
  std::array<uint8_t, 16> address{};
  PutNumber(end.number, 0, address);
  PutNumber(end.inode, kNumberBytes, address);
  return address;
}

}  // namespace gordian
