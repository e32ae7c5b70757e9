// SPDX-License-Identifier: Apache-2.0
// Text as a terminal shows it: each character in the columns that it takes there, and nothing that
// takes none. Names from outside may be wide, may combine, and may be longer than any line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

// The characters that the terminal can show.
enum class Charset { kUnicode, kAscii };

// Clean text (clean_text.h) without marks that take no column of their own. In ASCII every other
// character becomes one that looks alike, or a question mark.
std::string DisplayText(std::string_view text, Charset charset);

// The columns that display text takes: two for a wide character.
size_t DisplayWidth(std::string_view text);

// `text` as display text of at most `columns`: the whole, or its beginning and "…" (in ASCII "~").
std::string FitColumns(std::string_view text, size_t columns, Charset charset);

// The lines of display text broken at spaces, at most `most` of them: the last one tells with "…"
// that it was cut. A word that is wider than a line is broken.
std::vector<std::string> WrapColumns(std::string_view text, size_t columns, size_t most,
                                     Charset charset);

}  // namespace gordian
