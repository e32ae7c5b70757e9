// SPDX-License-Identifier: Apache-2.0
// Advice for the user, so that a JIT compiler's code has names next time.
#pragma once

#include <string>

#include "symbols/symbols.h"

namespace gordian {

// A line for the user, or nothing if no advice is known.
std::string NoteOnUnnamedCode(const ProcessMaps& maps);

}  // namespace gordian
