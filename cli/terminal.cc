// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "absl/strings/numbers.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr uint32_t kMostColumns = 10'000;  // of a COLUMNS that makes sense

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

bool IsTerminal(int fd) {
  const std::string_view kind = Variable("TERM");
  return isatty(fd) == 1 && !kind.empty() && kind != "dumb";
}

size_t TerminalColumns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view told = Variable("COLUMNS");
  uint32_t columns = 0;
  if (!absl::SimpleAtoi(absl::string_view(told.data(), told.size()), &columns)) return 0;
  return columns <= kMostColumns ? columns : 0;
}

std::string FitToTerminal(const std::string& line, int fd) {
  const size_t columns = TerminalColumns(fd);
  return columns < 2 ? line : Shorten(line, columns - 1);
}

bool WantsColour(ColourChoice choice, int fd) {
  if (choice != ColourChoice::kAuto) return choice == ColourChoice::kAlways;
  return IsTerminal(fd) && Variable("NO_COLOR").empty();
}

size_t PageColumns(int fd) {
  const size_t columns = isatty(fd) == 1 ? TerminalColumns(fd) : 0;
  if (columns == 0) return kUsualPageColumns;
  return std::clamp(columns, kLeastPageColumns, kMostPageColumns);
}

}  // namespace gordian
