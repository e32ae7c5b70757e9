// Names of functions as a person reads them.
#pragma once

#include <string>
#include <string_view>

#include "symbols/symbols.h"

namespace gordian {

// Demangled (C++, Rust), without the suffixes of copies of a function (".cold", ".isra.0", …): it
// is the same function to a reader. Unchanged if that cannot be done; at most 4 KiB. Names come
// from files that may be hostile: only the child process calls it with those.
std::string ReadableFunctionName(const char* name);

// Which of two names of one address to show: the one with fewer leading underscores (write, not
// __write), then the shorter, then the first in the alphabet.
bool IsBetterAlias(std::string_view a, std::string_view b);

}  // namespace gordian
