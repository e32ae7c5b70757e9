// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request's target: it is parsed within its bounds, the same question has the same
// text, and every parser of parameters takes or refuses each value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "serve/parameters.h"
#include "serve/request_target.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string Encoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string encoded;
  for (const char sign : text) {
    const auto byte = static_cast<unsigned char>(sign);
    encoded += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return encoded;
}

void CheckTarget(std::string_view text) {
  const auto target = ParseRequestTarget(text);
  if (!target.ok()) return;
  Require(target->parameters.size() <= 64);
  std::string again = target->path + "?";
  for (const auto& [name, value] : target->parameters)
    again += Encoded(name) + "=" + Encoded(value) + "&";
  const auto reparsed = ParseRequestTarget(again);
  Require(reparsed.ok() && reparsed->CanonicalText() == target->CanonicalText());
  constexpr std::string_view kWords[] = {"a", "b"};
  for (const auto& [name, value] : target->parameters) {
    if (const auto number = GetUnsigned(target->parameters, name, 0, 1000); number.ok())
      Require(*number <= 1000);
    if (const auto list = GetUnsignedList(target->parameters, name, 5); list.ok())
      Require(list->size() <= 5);
    if (const auto choice = GetChoice(target->parameters, name, kWords); choice.ok())
      Require(*choice < 2);
    static_cast<void>(GetReal(target->parameters, name, 0));
  }
  if (const auto range = GetAskedRange(target->parameters); range.ok())
    Require(range->from_ns < range->to_ns);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::CheckTarget({reinterpret_cast<const char*>(data), size});
  return 0;
}
