// Sizes and spans of time on the command lines of gordian and gordiand, for ->transform().
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "words/parse_quantities.h"

namespace gordian {

namespace internal {

template <typename Parse>
CLI::Validator QuantityOption(Parse parse) {
  return {[parse](std::string& text) {
            const auto amount = parse(text);
            if (!amount.ok()) return std::string(amount.status().message());
            text = absl::StrCat(*amount);
            return std::string();
          },
          ""};
}

}  // namespace internal

// Turns 64M, 0.5GiB or 4096 into bytes.
inline CLI::Validator SizeInBytes() { return internal::QuantityOption(ParseSize); }

// Turns 250ms, 5.5s, 1m30s or 3d into nanoseconds.
inline CLI::Validator TimeInNs() { return internal::QuantityOption(ParseDuration); }

}  // namespace gordian
