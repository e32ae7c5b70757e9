// SPDX-License-Identifier: Apache-2.0
// Of the library functions alone: its macros have the names of everyday words.
#define NCURSES_NOMACROS

#include "cli/top/terminal_screen.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// A sequence of a key may come in two packets; longer than that, Escape is a key by itself.
constexpr int kEscapeMs = 100;
constexpr std::array<int, 6> kFaults = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

constexpr short kWarningPair = 1;
constexpr short kMainPair = 2;
constexpr short kSecondPair = 3;
// Blue and orange differ for every eye.
constexpr short kBlueOf256 = 75;
constexpr short kOrangeOf256 = 214;

// What a signal's handler needs: prepared before, as a handler may do next to nothing.
struct {
  termios modes{};
  std::array<char, 256> bytes{};
  size_t size = 0;
  std::atomic<bool> is_taken = false;
  volatile sig_atomic_t stop_asked = 0;
  volatile sig_atomic_t went_on = 0;
} terminal;
static_assert(std::atomic<bool>::is_always_lock_free);

void RestoreAndDie(int signal_number) {
  if (terminal.is_taken.exchange(false)) {
    [[maybe_unused]] const ssize_t written =
        write(STDOUT_FILENO, terminal.bytes.data(), terminal.size);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.modes);
  }
  raise(signal_number);  // its handler is the default one again
}

void AskToStop(int) { terminal.stop_asked = 1; }
void GoOn(int) { terminal.went_on = 1; }

void Handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

void RememberBytes() {
  terminal.size = 0;
  for (const char* const name : {"sgr0", "cnorm", "rmkx", "rmcup"}) {
    const char* const text = tigetstr(name);
    // Without such a string it gives one or the other.
    const auto value = reinterpret_cast<intptr_t>(text);
    if (value == 0 || value == -1) continue;
    const size_t bytes = std::min(std::strlen(text), terminal.bytes.size() - terminal.size);
    std::copy_n(text, bytes, terminal.bytes.begin() + static_cast<ptrdiff_t>(terminal.size));
    terminal.size += bytes;
  }
}

void TakeColours() {
  if (!has_colors()) return;
  start_color();
  use_default_colors();
  const bool many = COLORS >= 256;
  init_pair(kWarningPair, many ? kOrangeOf256 : static_cast<short>(COLOR_YELLOW), -1);
  init_pair(kMainPair, many ? kBlueOf256 : static_cast<short>(COLOR_CYAN), -1);
  init_pair(kSecondPair, many ? kOrangeOf256 : static_cast<short>(COLOR_YELLOW), -1);
}

attr_t AttributesOf(Look look) {
  const auto coloured = [](short pair) {
    return COLOR_PAIRS > pair ? static_cast<attr_t>(COLOR_PAIR(pair)) : attr_t{A_NORMAL};
  };
  switch (look) {
    case Look::kStrong:
      return A_BOLD;
    case Look::kFaint:
      return A_DIM;
    case Look::kWarning:
      return A_BOLD | coloured(kWarningPair);
    case Look::kMain:
      return coloured(kMainPair);
    case Look::kSecond:
      return coloured(kSecondPair);
    case Look::kPlain:
      break;
  }
  return A_NORMAL;
}

TopKey KeyOf(int key) {
  switch (key) {
    case KEY_UP:
    case 'k':
      return TopKey::kUp;
    case KEY_DOWN:
    case 'j':
      return TopKey::kDown;
    case KEY_PPAGE:
      return TopKey::kPageUp;
    case KEY_NPAGE:
      return TopKey::kPageDown;
    case KEY_ENTER:
    case KEY_RIGHT:
    case '\n':
    case '\r':
      return TopKey::kEnter;
    case KEY_BACKSPACE:
    case KEY_LEFT:
    case 0x7f:
    case '\b':
    case 0x1b:
      return TopKey::kBack;
    case 'f':
    case ' ':
      return TopKey::kFreeze;
    case '+':
    case '=':
      return TopKey::kLongerWindow;
    case '-':
      return TopKey::kShorterWindow;
    case 's':
      return TopKey::kSave;
    case '?':
    case 'h':
      return TopKey::kHelp;
    case 'q':
      return TopKey::kQuit;
    default:
      return TopKey::kOther;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<TerminalScreen>> TerminalScreen::Open(bool with_colours) {
  setlocale(LC_CTYPE, "");
  tcgetattr(STDIN_FILENO, &terminal.modes);
  // Ours stops the program between two pages; the library's would do so anywhere.
  Handle(SIGTSTP, AskToStop, 0);
  Handle(SIGCONT, GoOn, 0);
  if (newterm(nullptr, stdout, stdin) == nullptr) {
    Handle(SIGTSTP, SIG_DFL, 0);
    Handle(SIGCONT, SIG_DFL, 0);
    const char* const kind = getenv("TERM");
    return absl::UnavailableError(absl::StrCat("the kind of this terminal is not known: TERM=",
                                               CleanText(kind == nullptr ? "" : kind)));
  }
  RememberBytes();
  for (const int fault : kFaults) Handle(fault, RestoreAndDie, static_cast<int>(SA_RESETHAND));
  terminal.is_taken = true;
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  set_escdelay(kEscapeMs);
  curs_set(0);
  if (with_colours) TakeColours();
  return std::unique_ptr<TerminalScreen>(new TerminalScreen);
}

TerminalScreen::~TerminalScreen() {
  endwin();
  terminal.is_taken = false;
  for (const int fault : kFaults) Handle(fault, SIG_DFL, 0);
  Handle(SIGTSTP, SIG_DFL, 0);
  Handle(SIGCONT, SIG_DFL, 0);
}

ScreenSize TerminalScreen::size() const {
  const bool is_unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return {.columns = static_cast<size_t>(std::max(COLS, 1)),
          .rows = static_cast<size_t>(std::max(LINES, 1)),
          .charset = is_unicode ? Charset::kUnicode : Charset::kAscii};
}

void TerminalScreen::Draw(const ScreenPage& page) {
  erase();
  int row = 0;
  for (const ScreenLine& line : page.lines) {
    const attr_t of_line = line.is_chosen ? A_REVERSE : A_NORMAL;
    if (line.is_chosen) mvhline(row, 0, ' ' | A_REVERSE, COLS);
    for (const Piece& piece : line.pieces()) {
      attrset(static_cast<int>(AttributesOf(piece.look) | of_line));
      mvaddstr(row, static_cast<int>(piece.column), piece.text.c_str());
    }
    ++row;
  }
  attrset(A_NORMAL);
  refresh();
}

std::optional<TopKey> TerminalScreen::ReadKey() {
  if (terminal.stop_asked != 0) {
    terminal.stop_asked = 0;
    endwin();
    terminal.is_taken = false;
    raise(SIGSTOP);
    terminal.is_taken = true;
    terminal.went_on = 1;
  }
  if (terminal.went_on != 0) {
    terminal.went_on = 0;
    reset_prog_mode();
    clearok(curscr, true);
    curs_set(0);
    return TopKey::kOther;
  }
  const int key = getch();
  if (key == ERR) return std::nullopt;
  return KeyOf(key);
}

bool TerminalScreen::is_gone() const {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace gordian
