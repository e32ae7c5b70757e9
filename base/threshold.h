// SPDX-License-Identifier: Apache-2.0
// Numbers that shape a verdict or a prediction. Each stands in the thresholds.h of its room:
//
//   // Share of the waiter's time. Without such a wait the waiter gains no more than that.
//   // Breaks when moved by 30 %: postgres-commits (the disk falls out of the scope).
//   GORDIAN_THRESHOLD(double, kMatters, 0.05);
//
// They are constants of the compiler. Only the preset "thresholds" (CMakePresets.json) builds a
// gordian in which the environment moves one of them: GORDIAN_MOVE=kMatters*1.3. bench/thresholds
// moves each over recordings and prints the changes.
#pragma once

#ifndef GORDIAN_MOVABLE_THRESHOLDS

#define GORDIAN_THRESHOLD(type, name, value) inline constexpr type name = value

#else

#include <cstdlib>
#include <cstring>

namespace gordian {

// `value`, or `value` times the factor that GORDIAN_MOVE tells for `name`.
template <typename Type>
Type MovedThreshold(const char* name, Type value) {
  const char* const move = std::getenv("GORDIAN_MOVE");
  const size_t length = std::strlen(name);
  if (move == nullptr || std::strncmp(move, name, length) != 0 || move[length] != '*') return value;
  return static_cast<Type>(static_cast<double>(value) * std::atof(move + length + 1));
}

}  // namespace gordian

#define GORDIAN_THRESHOLD(type, name, value) \
  inline const type name = ::gordian::MovedThreshold<type>(#name, value)

#endif
