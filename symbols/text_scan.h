// SPDX-License-Identifier: Apache-2.0
// Takes numbers and fields off the front of a line, for the kernel's and the JIT compilers' files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gordian {

// Takes a number of that base (no sign, no prefix) off the front; false, and nothing taken, if
// there is none or it does not fit.
bool TakeNumber(std::string_view& text, int base, uint64_t& value);
bool TakeCharacter(std::string_view& text, char expected);
void SkipSpaces(std::string_view& text);
// The text up to the next line end, which is taken too.
std::string_view TakeLine(std::string_view& text);

}  // namespace gordian
