// SPDX-License-Identifier: Apache-2.0
#include "serve/parameters.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace gordian {
namespace {

const std::string* Find(const ViewParameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

absl::StatusOr<uint64_t> WholeNumberIn(const std::string& text, const std::string& name,
                                       uint64_t most) {
  uint64_t number = 0;
  // SimpleAtoi takes blanks and signs.
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos ||
      !absl::SimpleAtoi(text, &number) || number > most)
    return absl::InvalidArgumentError(absl::StrCat(name, " must be a whole number",
                                                   most == std::numeric_limits<uint64_t>::max()
                                                       ? std::string()
                                                       : absl::StrCat(", up to ", most)));
  return number;
}

}  // namespace

bool HasParameter(const ViewParameters& parameters, const std::string& name) {
  return Find(parameters, name) != nullptr;
}

absl::StatusOr<std::string> GetText(const ViewParameters& parameters, const std::string& name,
                                    std::string_view absent, size_t most_bytes) {
  const std::string* text = Find(parameters, name);
  if (text == nullptr) return std::string(absent);
  if (text->size() > most_bytes)
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is too long: ", most_bytes, " bytes at most"));
  return *text;
}

absl::StatusOr<uint64_t> GetUnsigned(const ViewParameters& parameters, const std::string& name,
                                     uint64_t absent, uint64_t most) {
  const std::string* text = Find(parameters, name);
  if (text == nullptr) return absent;
  return WholeNumberIn(*text, name, most);
}

absl::StatusOr<double> GetReal(const ViewParameters& parameters, const std::string& name,
                               double absent) {
  const std::string* text = Find(parameters, name);
  if (text == nullptr) return absent;
  double number = 0;
  if (!absl::SimpleAtod(*text, &number) || !std::isfinite(number))
    return absl::InvalidArgumentError(absl::StrCat(name, " must be a number"));
  return number;
}

absl::StatusOr<size_t> GetChoice(const ViewParameters& parameters, const std::string& name,
                                 std::span<const std::string_view> words, size_t absent) {
  const std::string* text = Find(parameters, name);
  if (text == nullptr) return absent;
  const auto found = std::find(words.begin(), words.end(), std::string_view(*text));
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  const std::vector<std::string> known(words.begin(), words.end());
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be one of ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<std::vector<uint64_t>> GetUnsignedList(const ViewParameters& parameters,
                                                      const std::string& name, size_t most) {
  std::vector<uint64_t> numbers;
  const std::string* text = Find(parameters, name);
  if (text == nullptr || text->empty()) return numbers;
  if (static_cast<size_t>(std::count(text->begin(), text->end(), ',')) >= most)
    return absl::InvalidArgumentError(absl::StrCat(name, " has more than ", most, " numbers"));
  for (const absl::string_view part : absl::StrSplit(*text, ',')) {
    const auto number =
        WholeNumberIn(std::string(part), name, std::numeric_limits<uint64_t>::max());
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  return numbers;
}

absl::StatusOr<AskedRange> GetAskedRange(const ViewParameters& parameters) {
  AskedRange range;
  const auto from = GetUnsigned(parameters, "from", range.from_ns);
  if (!from.ok()) return from.status();
  const auto to = GetUnsigned(parameters, "to", range.to_ns);
  if (!to.ok()) return to.status();
  if (*to <= *from) return absl::InvalidArgumentError("to must be behind from");
  return AskedRange{*from, *to};
}

absl::Status CheckNames(const ViewParameters& parameters, std::span<const std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [name, value] : parameters)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return absl::InvalidArgumentError(
          names.empty()
              ? std::string("there are no parameters here")
              : absl::StrCat("a parameter is not known; there are ", absl::StrJoin(names, ", ")));
  return absl::OkStatus();
}

}  // namespace gordian
