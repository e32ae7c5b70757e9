// SPDX-License-Identifier: Apache-2.0
// Steps through bytes of a foreign file, little-endian, and never past their end.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace gordian {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // False, and nothing is taken, if there are not so many.
  template <typename Number>
  bool Take(Number& value) {
    static_assert(std::is_trivially_copyable_v<Number>);
    if (bytes_.size() < sizeof(value)) return false;
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_ = bytes_.subspan(sizeof(value));
    return true;
  }
  bool Skip(uint64_t count) {
    if (bytes_.size() < count) return false;
    bytes_ = bytes_.subspan(count);
    return true;
  }
  bool TakeBytes(uint64_t count, std::span<const uint8_t>& taken) {
    if (bytes_.size() < count) return false;
    taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return true;
  }
  bool TakeText(uint64_t count, std::string_view& text) {
    std::span<const uint8_t> taken;
    if (!TakeBytes(count, taken)) return false;
    text = {reinterpret_cast<const char*>(taken.data()), taken.size()};
    return true;
  }
  // Up to a zero byte, which is taken, too.
  bool TakeZeroEnded(std::string_view& text) {
    const void* zero = bytes_.empty() ? nullptr : std::memchr(bytes_.data(), 0, bytes_.size());
    if (zero == nullptr) return false;
    const auto size = static_cast<size_t>(static_cast<const uint8_t*>(zero) - bytes_.data());
    return TakeText(size, text) && Skip(1);
  }

  std::span<const uint8_t> rest() const { return bytes_; }
  size_t left() const { return bytes_.size(); }

 private:
  std::span<const uint8_t> bytes_;
};

// What stands before the first zero byte.
inline std::string_view ZeroEnded(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

}  // namespace gordian
