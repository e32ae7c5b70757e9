// SPDX-License-Identifier: Apache-2.0
#include "serve/request_target.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// No view asks with a fifth of it; a map of any size would be a way to take memory.
constexpr size_t kMostParameters = 64;

int DigitOf(char sign) {
  if (sign >= '0' && sign <= '9') return sign - '0';
  if (sign >= 'a' && sign <= 'f') return sign - 'a' + 10;
  if (sign >= 'A' && sign <= 'F') return sign - 'A' + 10;
  return -1;
}

// As forms are written: %41 is A, and + a blank.
absl::StatusOr<std::string> Decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? DigitOf(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? DigitOf(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return absl::InvalidArgumentError("the address has a % without two hexadecimal digits");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

absl::Status AddParameter(std::string_view text, std::map<std::string, std::string>& parameters) {
  const size_t equals = text.find('=');
  auto name = Decoded(text.substr(0, equals));
  if (!name.ok()) return name.status();
  auto value = Decoded(equals == text.npos ? std::string_view() : text.substr(equals + 1));
  if (!value.ok()) return value.status();
  if (name->empty()) return absl::InvalidArgumentError("the address has a value without a name");
  if (!parameters.try_emplace(*std::move(name), *std::move(value)).second)
    return absl::InvalidArgumentError("the address names a parameter twice");
  if (parameters.size() > kMostParameters)
    return absl::InvalidArgumentError("the address has too many parameters");
  return absl::OkStatus();
}

}  // namespace

std::string RequestTarget::CanonicalText() const {
  std::string text;
  // With lengths: a value may hold any sign.
  for (const auto& [name, value] : parameters)
    absl::StrAppend(&text, name.size(), ":", name, "=", value.size(), ":", value, "&");
  return text;
}

absl::StatusOr<RequestTarget> ParseRequestTarget(std::string_view target) {
  if (target.empty() || target.front() != '/')
    return absl::InvalidArgumentError("the address has no path");
  RequestTarget parsed;
  const size_t question = target.find('?');
  parsed.path = std::string(target.substr(0, question));
  if (question == target.npos) return parsed;
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    if (end > 0)
      if (auto status = AddParameter(rest.substr(0, end), parsed.parameters); !status.ok())
        return status;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parsed;
}

}  // namespace gordian
