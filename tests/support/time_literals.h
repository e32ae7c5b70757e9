// SPDX-License-Identifier: Apache-2.0
// 5_ms instead of 5000000: times of traces are nanoseconds.
#pragma once

#include <cstdint>

namespace gordian::testing {

constexpr uint64_t operator""_ns(unsigned long long value) { return value; }
constexpr uint64_t operator""_us(unsigned long long value) { return value * 1000; }
constexpr uint64_t operator""_ms(unsigned long long value) { return value * 1000 * 1000; }
constexpr uint64_t operator""_s(unsigned long long value) { return value * 1000 * 1000 * 1000; }

}  // namespace gordian::testing
