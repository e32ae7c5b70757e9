// SPDX-License-Identifier: Apache-2.0
// Sizes, spans of time and whole numbers on the command lines of gordian and gordiand, for
// ->transform().
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
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

inline bool IsWholeNumber(const std::string& text, int64_t least, int64_t most) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) && number >= least && number <= most;
}

}  // namespace internal

// For ->check(): a whole number within these bounds.
inline CLI::Validator WholeNumber(int64_t least, int64_t most) {
  return {[least, most](const std::string& text) {
            if (internal::IsWholeNumber(text, least, most)) return std::string();
            return absl::StrCat("'", text, "' is no whole number from ", least, " to ", most);
          },
          ""};
}

// A number of a process or thread.
inline CLI::Validator ProcessNumber() { return WholeNumber(1, INT32_MAX); }

// For names of files, programs, …: `what` is missing in the complaint.
inline CLI::Validator NotEmpty(const char* what) {
  return {[what](const std::string& text) {
            return text.empty() ? std::string(what) + " is empty" : std::string();
          },
          ""};
}

// Turns 64M, 0.5GiB or 4096 into bytes.
inline CLI::Validator SizeInBytes() { return internal::QuantityOption(ParseSize); }

// Turns 250ms, 5.5s, 1m30s or 3d into nanoseconds.
inline CLI::Validator TimeInNs() { return internal::QuantityOption(ParseDuration); }

}  // namespace gordian
