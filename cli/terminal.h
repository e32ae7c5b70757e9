// SPDX-License-Identifier: Apache-2.0
// What the terminal behind a file can show.
#pragma once

#include <cstddef>
#include <string>

namespace gordian {

inline constexpr const char* kEraseLine = "\r\x1b[K";

// A terminal that understands escape sequences: not one of TERM=dumb.
bool IsTerminal(int fd);

// Its columns, or those of COLUMNS; 0 if neither tells.
size_t TerminalColumns(int fd);

// A line that will be drawn over again: where it wraps, only its last part would be erased.
std::string FitToTerminal(const std::string& line, int fd);

// --color.
enum class ColourChoice { kAuto, kAlways, kNever };

// Automatically: on a terminal, unless NO_COLOR is set.
bool WantsColour(ColourChoice choice, int fd);

// The width of a page for reading: that of the terminal within these bounds. Wide lines are hard to
// read, and tables need some room. Without a terminal it is kUsualPageColumns.
inline constexpr size_t kLeastPageColumns = 40;
inline constexpr size_t kUsualPageColumns = 80;
inline constexpr size_t kMostPageColumns = 100;
size_t PageColumns(int fd);

}  // namespace gordian
