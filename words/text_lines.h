// SPDX-License-Identifier: Apache-2.0
// Lines of a page that is no wider than a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

// Columns of a terminal that UTF-8 text takes: one for each code point.
size_t TextWidth(std::string_view text);
// `text`, or its beginning and "…" if it is wider.
std::string Shorten(std::string_view text, size_t width);
// Padded with spaces to `width`.
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);
// Broken at spaces; a word wider than a line is cut.
std::vector<std::string> WrapText(std::string_view text, size_t width);

}  // namespace gordian
