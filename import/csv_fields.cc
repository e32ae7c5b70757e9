// SPDX-License-Identifier: Apache-2.0
#include "import/csv_fields.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "google/protobuf/stubs/common.h"

namespace gordian {
namespace {

constexpr size_t kShownBytes = 40;

}  // namespace

absl::Status CsvFields::Split(std::string_view line) {
  size_ = 0;
  unquoted_.clear();
  // Each turn takes one field and the comma behind it, so `rest` shrinks.
  for (std::string_view rest = line;;) {
    if (size_ == kMaxFields) {
      return absl::InvalidArgumentError(
          "too many fields; a name with a comma in it belongs in double quotes");
    }
    if (!rest.empty() && rest.front() == '"') {
      if (absl::Status status = AddQuoted(rest); !status.ok()) return status;
    } else {
      const size_t comma = std::min(rest.find(','), rest.size());
      fields_[size_++] = rest.substr(0, comma);
      rest.remove_prefix(comma);
    }
    if (rest.empty()) return absl::OkStatus();
    rest.remove_prefix(1);
  }
}

// Takes a quoted field off the front of `rest`; a doubled quote inside stands for one.
absl::Status CsvFields::AddQuoted(std::string_view& rest) {
  rest.remove_prefix(1);
  std::string& text = unquoted_.emplace_back();
  for (;;) {
    const size_t quote = rest.find('"');
    if (quote == std::string_view::npos) {
      return absl::InvalidArgumentError("a double quote is not closed on this line");
    }
    text.append(rest.substr(0, quote));
    rest.remove_prefix(quote + 1);
    if (rest.empty() || rest.front() == ',') break;
    if (rest.front() != '"') {
      return absl::InvalidArgumentError(
          "text follows a closing double quote; write a quote inside quotes twice");
    }
    text.push_back('"');
    rest.remove_prefix(1);
  }
  fields_[size_++] = text;
  return absl::OkStatus();
}

std::string Quoted(std::string_view text) {
  const std::string_view shown = text.substr(0, kShownBytes);
  return fmt::format("\"{}{}\"", absl::CHexEscape(absl::string_view(shown.data(), shown.size())),
                     shown.size() < text.size() ? "…" : "");
}

// Names end up in protobuf strings, which a reader refuses if they are not UTF-8.
bool IsUtf8(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char byte) { return byte >= 0; });
  return ascii || google::protobuf::internal::IsStructurallyValidUTF8(
                      text.data(), static_cast<int>(text.size()));
}

absl::Status ParseNumber(std::string_view what, std::string_view text, uint64_t max,
                         uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value <= max) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("{} must be a whole number from 0 to {}, not {}", what, max, Quoted(text)));
}

}  // namespace gordian
