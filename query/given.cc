// SPDX-License-Identifier: Apache-2.0
#include "query/given.h"

#include <algorithm>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gordian {

void GivenValues::Refuse(const std::string& why) {
  if (status_.ok())
    status_ = absl::InvalidArgumentError(absl::StrCat(std::string(function_), ": ", why));
}

uint64_t GivenValues::Number(size_t place, std::string_view name, uint64_t otherwise) {
  const auto& text = limits_.parameters[place];
  uint64_t number = 0;
  if (!text) return otherwise;
  if (!absl::SimpleAtoi(*text, &number))
    Refuse(absl::StrCat(std::string(name), " is a whole number of 0 or more"));
  return number;
}

size_t GivenValues::Word(size_t place, std::string_view name,
                         std::span<const std::string_view> words, size_t otherwise) {
  const auto& text = limits_.parameters[place];
  if (!text) return otherwise;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found == words.end()) {
    const std::vector<std::string> all(words.begin(), words.end());
    Refuse(absl::StrCat(std::string(name), " is one of ", absl::StrJoin(all, ", ")));
    return otherwise;
  }
  return static_cast<size_t>(found - words.begin());
}

uint64_t GivenValues::FirstNumber() const { return absl::HashOf(limits_.parameters) >> 32 << 31; }

}  // namespace gordian
