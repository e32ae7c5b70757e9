// SPDX-License-Identifier: Apache-2.0
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

// Whether that needs demangling. A name that does not may be made readable in any process, by the
// second function; of others that only cuts the suffixes.
bool IsMangledName(const char* name);
std::string UnmangledFunctionName(const char* name);

// Which of two names of one address to show: the one with fewer leading underscores (write, not
// __write), then the shorter, then the first in the alphabet.
bool IsBetterAlias(std::string_view a, std::string_view b);

}  // namespace gordian
