// SPDX-License-Identifier: Apache-2.0
// Pieces of ftrace's text, and words that its binary formats have, too.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace_event.h"

namespace gordian {

// Interrupts without a number of the kernel's.
inline constexpr uint32_t kImportedLocalTimerIrq = 0xfffe;

std::string_view Trimmed(std::string_view text);
// The next word of `text`, which then begins behind it.
std::string_view TakeWord(std::string_view& text);
// The whole text is a number.
bool ParseUnsigned(std::string_view text, int base, uint64_t& value);

// KernelEvent::context of the flags' column "d.h2.": nothing is told if it is missing.
uint8_t ContextOfFlags(std::string_view flags);
// The bits of "S", "R+", "D|K", "x".
uint32_t StateOfLetters(std::string_view letters);
// "WS", "RA", "FF".
BlockOperation OperationOfLetters(std::string_view letters);

}  // namespace gordian
