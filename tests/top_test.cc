// SPDX-License-Identifier: Apache-2.0
// gordian top as people use it: on a terminal, in a pipe, and what it saves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TempDir;
using testing::VaryingTrace;

// What a terminal shows: as much of xterm as ncurses uses.
class ShownScreen {
 public:
  ShownScreen(size_t rows, size_t columns)
      : rows_(rows), columns_(columns), cells_(rows, std::vector<std::string>(columns, " ")) {}

  void Take(const std::string& bytes) {
    rest_ += bytes;
    // Ends: every turn takes bytes, or stops where a sequence is not whole yet.
    while (!rest_.empty()) {
      const size_t taken = TakeOne();
      if (taken == 0) return;
      rest_.erase(0, taken);
    }
  }

  std::string Text() const {
    std::string text;
    for (const auto& row : cells_) {
      std::string line;
      for (const std::string& cell : row) line += cell;
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }
  bool shows_other_contents() const { return is_other_; }
  bool shows_cursor() const { return has_cursor_; }

 private:
  size_t TakeOne() {
    const auto first = static_cast<unsigned char>(rest_[0]);
    if (first == 0x1b) return TakeEscape();
    if (first == '\r')
      column_ = 0;
    else if (first == '\n')
      row_ = std::min(row_ + 1, rows_ - 1);
    else if (first == '\b')
      column_ -= column_ > 0 ? 1 : 0;
    if (first < 0x20) return 1;
    const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (rest_.size() < bytes) return 0;
    last_ = rest_.substr(0, bytes);
    Put();
    return bytes;
  }

  void Put() {
    if (column_ < columns_) cells_[row_][column_++] = last_;
  }

  size_t TakeEscape() {
    if (rest_.size() < 2) return 0;
    if (rest_[1] == '(') return rest_.size() < 3 ? 0 : 3;
    if (rest_[1] != '[') return 2;
    const auto end = std::find_if(rest_.begin() + 2, rest_.end(),
                                  [](char byte) { return byte >= '@' && byte <= '~'; });
    if (end == rest_.end()) return 0;
    const std::string parameters(rest_.begin() + 2, end);
    Obey(*end, parameters);
    return static_cast<size_t>(end - rest_.begin()) + 1;
  }

  void Obey(char command, const std::string& parameters) {
    if (parameters == "?1049") is_other_ = command == 'h';
    if (parameters == "?25" || parameters == "?12;25") has_cursor_ = command == 'h';
    const size_t first = static_cast<size_t>(std::max(std::atoi(parameters.c_str()), 0));
    const size_t count = std::max<size_t>(first, 1);
    const size_t comma = parameters.find(';');
    const size_t second =
        comma == std::string::npos
            ? 1
            : static_cast<size_t>(std::max(std::atoi(parameters.c_str() + comma + 1), 1));
    const auto row_to = [&](size_t row) { row_ = std::min(row, rows_ - 1); };
    const auto column_to = [&](size_t column) { column_ = std::min(column, columns_ - 1); };
    switch (command) {
      case 'H':
        row_to(count - 1), column_to(second - 1);
        break;
      case 'd':
        row_to(count - 1);
        break;
      case 'G':
        column_to(count - 1);
        break;
      case 'A':
        row_to(row_ - std::min(row_, count));
        break;
      case 'B':
        row_to(row_ + count);
        break;
      case 'C':
        column_to(column_ + count);
        break;
      case 'D':
        column_to(column_ - std::min(column_, count));
        break;
      case 'K':
        Erase(first == 0 ? column_ : 0, first == 1 ? column_ + 1 : columns_);
        break;
      case 'X':
        Erase(column_, column_ + count);
        break;
      case 'b':
        for (size_t i = 0; i < count; ++i) Put();
        break;
      case 'P':
        Delete(count);
        break;
      case '@':
        Insert(count);
        break;
      case 'J':
        if (first == 0) Erase(column_, columns_);
        for (size_t row = first == 0 ? row_ + 1 : 0; row < rows_; ++row)
          std::fill(cells_[row].begin(), cells_[row].end(), " ");
        break;
      default:
        break;
    }
  }

  void Erase(size_t from, size_t to) {
    for (size_t column = from; column < std::min(to, columns_); ++column)
      cells_[row_][column] = " ";
  }
  void Delete(size_t count) {
    auto& row = cells_[row_];
    for (size_t i = 0; i < count && column_ < columns_; ++i) {
      row.erase(row.begin() + static_cast<ptrdiff_t>(column_));
      row.emplace_back(" ");
    }
  }
  void Insert(size_t count) {
    auto& row = cells_[row_];
    for (size_t i = 0; i < count && column_ < columns_; ++i) {
      row.insert(row.begin() + static_cast<ptrdiff_t>(column_), " ");
      row.pop_back();
    }
  }

  const size_t rows_;
  const size_t columns_;
  std::vector<std::vector<std::string>> cells_;
  std::string rest_;
  std::string last_ = " ";
  size_t row_ = 0;
  size_t column_ = 0;
  bool is_other_ = false;
  bool has_cursor_ = true;
};

// `gordian top` on a terminal of its own.
class TopOnTerminal {
 public:
  TopOnTerminal(const std::string& directory, const std::string& folder) {
    winsize size = {.ws_row = 24, .ws_col = 80};
    pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      setenv("TERM", "xterm-256color", 1);
      setenv("LC_ALL", "C.UTF-8", 1);
      if (chdir(folder.c_str()) != 0) _exit(127);
      execl(GORDIAN_PROGRAM, "gordian", "top", directory.c_str(), nullptr);
      _exit(127);
    }
    tcgetattr(terminal_, &before_);
  }
  ~TopOnTerminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(terminal_);
  }
  TopOnTerminal(const TopOnTerminal&) = delete;
  TopOnTerminal& operator=(const TopOnTerminal&) = delete;

  void Press(const std::string& keys) {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void Signal(int number) const { kill(pid_, number); }
  // A SIGCONT that comes before would be in vain.
  void WaitForStop() const {
    siginfo_t stopped{};
    waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED);
  }

  // Reads until the screen holds that text; false if the program ends before.
  bool WaitFor(const std::string& text) {
    while (screen_.Text().find(text) == std::string::npos)
      if (!Read()) return false;
    return true;
  }
  // Reads to the end; the exit code, or 128 and the signal.
  int WaitForEnd() {
    while (Read()) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  bool WaitForMore() { return Read(); }
  const ShownScreen& screen() const { return screen_; }
  bool modes_are_as_before() const {
    termios now{};
    tcgetattr(terminal_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
           now.c_oflag == before_.c_oflag;
  }

 private:
  bool Read() {
    char bytes[4096];
    const ssize_t size = read(terminal_, bytes, sizeof(bytes));
    if (size <= 0) return false;
    screen_.Take(std::string(bytes, static_cast<size_t>(size)));
    return true;
  }

  int terminal_ = -1;
  pid_t pid_ = -1;
  termios before_{};
  ShownScreen screen_{24, 80};
};

class Top : public ::testing::Test {
 protected:
  Top() { EXPECT_TRUE(VaryingTrace({}).WriteSession(Trace()).ok()); }
  std::string Trace() const { return dir_ / "trace"; }
  TempDir dir_;
};

TEST_F(Top, ShowsTheLimitAndGoesIntoAVertexByKeys) {
  TopOnTerminal top(Trace(), dir_.path());
  ASSERT_TRUE(top.WaitFor("ended"));
  EXPECT_TRUE(top.screen().shows_other_contents());
  EXPECT_FALSE(top.screen().shows_cursor());
  EXPECT_THAT(top.screen().Text(), AllOf(HasSubstr("HEAVIEST WAITS"), HasSubstr("A → B")));
  top.Press("j");
  ASSERT_TRUE(top.WaitFor("> "));
  top.Press("\r");
  ASSERT_TRUE(top.WaitFor("WAITS FOR"));
  top.Press("\x7f");
  ASSERT_TRUE(top.WaitFor("HEAVIEST WAITS"));
  top.Press("?");
  ASSERT_TRUE(top.WaitFor("KEYS"));
  top.Press("?f");
  ASSERT_TRUE(top.WaitFor("FROZEN"));
  top.Press("q");
  EXPECT_EQ(top.WaitForEnd(), 0);
  EXPECT_FALSE(top.screen().shows_other_contents());
  EXPECT_TRUE(top.screen().shows_cursor());
  EXPECT_TRUE(top.modes_are_as_before());
}

TEST_F(Top, GivesTheTerminalBackWhateverEndsIt) {
  for (const auto& [signal, code] :
       {std::pair(SIGTERM, 0), std::pair(SIGINT, 0), std::pair(SIGHUP, 0),
        std::pair(SIGQUIT, 128 + SIGQUIT), std::pair(SIGSEGV, 128 + SIGSEGV)}) {
    TopOnTerminal top(Trace(), dir_.path());
    ASSERT_TRUE(top.WaitFor("ended"));
    top.Signal(signal);
    EXPECT_EQ(top.WaitForEnd(), code);
    EXPECT_FALSE(top.screen().shows_other_contents()) << signal;
    EXPECT_TRUE(top.screen().shows_cursor()) << signal;
    EXPECT_TRUE(top.modes_are_as_before()) << signal;
  }
}

TEST_F(Top, GivesTheTerminalBackWhileItIsStopped) {
  TopOnTerminal top(Trace(), dir_.path());
  ASSERT_TRUE(top.WaitFor("ended"));
  top.Signal(SIGTSTP);
  while (top.screen().shows_other_contents()) ASSERT_TRUE(top.WaitForMore());
  top.WaitForStop();
  top.Signal(SIGCONT);
  while (!top.screen().shows_other_contents()) ASSERT_TRUE(top.WaitForMore());
  top.Press("?");
  EXPECT_TRUE(top.WaitFor("KEYS"));
  top.Press("q");
  EXPECT_EQ(top.WaitForEnd(), 0);
}

TEST_F(Top, SavesTheLastMinuteAsARecording) {
  TopOnTerminal top(Trace(), dir_.path());
  ASSERT_TRUE(top.WaitFor("ended"));
  top.Press("s");
  ASSERT_TRUE(top.WaitFor("saved in top"));
  top.Press("q");
  EXPECT_EQ(top.WaitForEnd(), 0);
  const ProgramResult found = RunProgram({"/bin/sh", "-c", "ls -d " + dir_.path() + "/top*"});
  const std::string saved = found.output.substr(0, found.output.find('\n'));
  const ProgramResult whole = RunProgram({GORDIAN_PROGRAM, "top", "--once", Trace()});
  const ProgramResult again = RunProgram({GORDIAN_PROGRAM, "top", "--once", saved});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(again.output.substr(0, again.output.find('\n')),
            whole.output.substr(0, whole.output.find('\n')));
}

TEST_F(Top, IsLinesOfTextInAPipe) {
  const ProgramResult lines = RunProgram({GORDIAN_PROGRAM, "top", Trace()});
  EXPECT_EQ(lines.exit_code, 0) << lines.errors;
  EXPECT_THAT(lines.output,
              AllOf(HasSubstr(" %  for "), HasSubstr("(ended)\n"), Not(HasSubstr("\x1b"))));
}

TEST_F(Top, IsOnePageWithOnce) {
  const ProgramResult page = RunProgram({GORDIAN_PROGRAM, "top", "--once", Trace()});
  EXPECT_EQ(page.exit_code, 0) << page.errors;
  EXPECT_THAT(page.output, AllOf(HasSubstr("HEAVIEST WAITS"), HasSubstr("ON THE CRITICAL PATHS"),
                                 Not(HasSubstr("\x1b"))));
  const ProgramResult json = RunProgram({GORDIAN_PROGRAM, "top", "--once", "--json", Trace()});
  EXPECT_THAT(json.output, AllOf(StartsWith("{\"at\":"), HasSubstr("\"ended\":true")));
}

TEST_F(Top, TellsInOneLineWhatIsWrong) {
  const ProgramResult nothing = RunProgram({GORDIAN_PROGRAM, "top", dir_ / "nothing"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.errors, HasSubstr("does not exist"));
  const ProgramResult nobody = RunProgram({GORDIAN_PROGRAM, "top", Trace(), "--comm", "nobody"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.errors, HasSubstr("'nobody'"));
  EXPECT_EQ(std::count(nobody.errors.begin(), nobody.errors.end(), '\n'), 1);
  EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "top", Trace(), "--window", "1ms"}).exit_code, 2);
}

TEST_F(Top, CutTellsOfAStretchWhatAnAnalysisOfItTells) {
  const std::string cut = dir_ / "cut";
  const ProgramResult made =
      RunProgram({GORDIAN_PROGRAM, "cut", Trace(), "--from", "500ms", "--to", "2s", "-o", cut});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  EXPECT_THAT(made.output, StartsWith("cut 1.5 s with "));
  const auto first_line = [](const std::vector<std::string>& words) {
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output.substr(0, result.output.find('\n'));
  };
  EXPECT_EQ(first_line({GORDIAN_PROGRAM, "analyze", cut}),
            first_line({GORDIAN_PROGRAM, "analyze", Trace(), "--from", "500ms", "--to", "2s"}));
  EXPECT_EQ(RunProgram({GORDIAN_PROGRAM, "cut", Trace(), "-o", cut}).exit_code, 1);
}

}  // namespace
}  // namespace gordian
