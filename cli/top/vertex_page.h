// SPDX-License-Identifier: Apache-2.0
// A vertex from inside: what it waits for, who waits for it, its threads and its code.
#pragma once

#include <string>

#include "cli/top/frame_parts.h"

namespace gordian {

// All lines, for a screen of any height.
ScreenLines VertexPageLines(const PartInput& input, const std::string& label);
// What the keys do, and how to read the screen.
ScreenLines HelpLines(const ScreenSize& size);

}  // namespace gordian
