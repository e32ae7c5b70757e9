// SPDX-License-Identifier: Apache-2.0
// How long the parts of a recording or a replay take, and how far their mean may be off by chance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "whatif/play/play.h"

namespace gordian {

// Logarithms of the parts' lengths.
using Parts = std::array<double, kParts>;

inline Parts PartsOf(const std::array<uint64_t, kParts + 1>& cut_ns) {
  Parts parts{};
  for (size_t i = 0; i < kParts; ++i)
    parts.at(i) = std::log(std::max(1.0, static_cast<double>(cut_ns.at(i + 1) - cut_ns.at(i))));
  return parts;
}

inline Parts Difference(const Parts& a, const Parts& b) {
  Parts parts{};
  for (size_t i = 0; i < kParts; ++i) parts.at(i) = a.at(i) - b.at(i);
  return parts;
}

inline double SquaredErrorOfMean(const Parts& parts) {
  double sum = 0, squares = 0;
  for (const double part : parts) sum += part;
  for (const double part : parts) squares += (part - sum / kParts) * (part - sum / kParts);
  return squares / (kParts - 1) / kParts;
}

// A replay with nothing changed, that readings are compared with.
struct Unchanged {
  double span_ns = 1;
  Parts parts{};
  std::map<uint32_t, uint64_t> sleeps;  // by vertex
};

}  // namespace gordian
