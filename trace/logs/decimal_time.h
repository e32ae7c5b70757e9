// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gordian {

// A decimal number of `unit_ns` each, with or without a fraction, in nanoseconds, exactly (a double
// has too few digits for an epoch time). Nothing if it is no number, negative, or too large.
std::optional<uint64_t> ParseDecimalNs(std::string_view text, uint64_t unit_ns);

}  // namespace gordian
