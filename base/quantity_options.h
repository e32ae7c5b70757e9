// Sizes and spans of time on the command lines of gordian and gordiand.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

namespace gordian {

namespace internal {

// CLI11 reads a leading minus as wrapping around. Here a minus is refused, as is any character
// except a digit.
inline CLI::Validator FromADigitOn(const CLI::Validator& quantity) {
  return {[quantity](std::string& text) {
            const bool digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
            return digit ? quantity(text) : "'" + text + "' does not begin with a digit";
          },
          ""};
}

}  // namespace internal

// For ->transform(): turns 64M, 2GiB or 4096 into bytes. Every unit is a power of 1024.
inline CLI::Validator SizeInBytes() {
  return internal::FromADigitOn(CLI::AsSizeValue(/*kb_is_1000=*/false));
}

// For ->transform(): turns 250ms, 10s, 5m, 12h or 3d into nanoseconds. A unit must be there.
inline CLI::Validator TimeInNs() {
  const std::map<std::string, uint64_t> units = {{"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"h", 3'600'000'000'000},
                                                 {"d", 86'400'000'000'000}};
  using Unit = CLI::AsNumberWithUnit;
  return internal::FromADigitOn(
      Unit(units, static_cast<Unit::Options>(Unit::CASE_SENSITIVE | Unit::UNIT_REQUIRED)));
}

}  // namespace gordian
