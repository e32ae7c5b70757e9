// SPDX-License-Identifier: Apache-2.0
// gordian query without a question: a prompt on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "analyzer/testing/scenario.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoThreads[] =
    "end 30\n"
    "thread 1 A S\n"
    "thread 2 B R\n"
    "0 0 switch 0 2\n"
    "10 0 wake 1 by 2\n"
    "10 0 switch 2 1 S\n"
    "20 0 wake 2 by 1\n"
    "20 0 switch 1 2 S\n";

// `gordian query` on a terminal of its own.
class QueryTerminal {
 public:
  QueryTerminal(const std::string& recording, const std::string& state,
                const char* form = nullptr) {
    winsize size = {.ws_row = 24, .ws_col = 200};
    pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      setenv("TERM", "xterm", 1);
      setenv("LC_ALL", "C.UTF-8", 1);
      setenv("XDG_STATE_HOME", state.c_str(), 1);
      execl(GORDIAN_PROGRAM, "gordian", "query", recording.c_str(), form, nullptr);
      _exit(127);
    }
  }
  ~QueryTerminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(terminal_);
  }
  QueryTerminal(const QueryTerminal&) = delete;
  QueryTerminal& operator=(const QueryTerminal&) = delete;

  void Press(const std::string& keys) {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // The editor shows its prompt before it takes the terminal over. Until then Ctrl-C is a signal.
  void WaitForEditor() const {
    termios settings{};
    while (tcgetattr(terminal_, &settings) == 0 && (settings.c_lflag & ICANON) != 0) sched_yield();
  }
  // Reads until the text comes; all that came since the last call, or "" if the program ends.
  std::string ReadTo(const std::string& text) {
    std::string read;
    while (read.find(text) == std::string::npos) {
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof(bytes));
      if (count <= 0) {
        ADD_FAILURE() << "it ended before it showed " << text << ": " << read;
        return "";
      }
      read.append(bytes, static_cast<size_t>(count));
    }
    if (text.ends_with("> ")) WaitForEditor();
    return read;
  }
  // Presses enter behind it and reads to the next prompt.
  std::string Ask(const std::string& line) {
    Press(line + "\r");
    return ReadTo("gordian> ");
  }
  int WaitForEnd() {
    char bytes[4096];
    while (::read(terminal_, bytes, sizeof(bytes)) > 0) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
};

class QueryPrompt : public ::testing::Test {
 protected:
  void SetUp() override { WriteScenario(ParseScenario(kTwoThreads), dir_ / "trace", 100); }
  std::string History() const {
    std::ifstream file(dir_ / "state/gordian/query_history");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  TempDir dir_;
  QueryTerminal terminal_{dir_ / "trace", dir_ / "state"};
};

TEST_F(QueryPrompt, AnswersAQuestionOfManyLines) {
  terminal_.ReadTo("gordian> ");
  terminal_.Press("SELECT name, run_ns\r");
  terminal_.ReadTo("...> ");
  EXPECT_THAT(terminal_.Ask("FROM thread WHERE tid = 1;"),
              HasSubstr("name  run_ns\r\nA         10\r\n"));
  EXPECT_THAT(terminal_.Ask("SELECT nonsense;"), HasSubstr("no such column: nonsense"));
  EXPECT_THAT(terminal_.Ask("SELECT ';' AS text;"), HasSubstr("\r\n;"));
  terminal_.Press("\x04");
  EXPECT_EQ(terminal_.WaitForEnd(), 0);
}

TEST_F(QueryPrompt, ObeysCommands) {
  terminal_.ReadTo("gordian> ");
  EXPECT_THAT(terminal_.Ask(".help"), HasSubstr(".schema"));
  EXPECT_THAT(terminal_.Ask(".tables"), HasSubstr("wait_graph"));
  EXPECT_THAT(terminal_.Ask(".schema edge"), HasSubstr("clock_bound_ns"));
  EXPECT_THAT(terminal_.Ask(".schema none"), HasSubstr("no such table"));
  EXPECT_THAT(terminal_.Ask(".run time-by-cpu"), HasSubstr("threads"));
  EXPECT_THAT(terminal_.Ask(".run none"), HasSubstr("no such saved question"));
  EXPECT_THAT(terminal_.Ask(".nonsense"), HasSubstr("no such command"));
  terminal_.Press(".quit\r");
  EXPECT_EQ(terminal_.WaitForEnd(), 0);
}

TEST_F(QueryPrompt, CompletesNames) {
  terminal_.ReadTo("gordian> ");
  terminal_.Press("SELECT count(*) AS found FROM thre\t");
  EXPECT_THAT(terminal_.Ask(" WHERE tid = 2;"), HasSubstr("found\r\n"));
  EXPECT_THAT(terminal_.Ask(".run time-by-cp\t"), HasSubstr("run_ns"));
  terminal_.Press(".schema wait_\t");
  EXPECT_THAT(terminal_.ReadTo("wait_ns"), HasSubstr("wait_graph"));
}

TEST_F(QueryPrompt, CtrlCEndsAQuestionAndNotTheProgram) {
  QueryTerminal terminal(dir_ / "trace", dir_ / "state", "--csv");  // rows come as they are found
  terminal.ReadTo("gordian> ");
  // The first row tells that it runs; it has no end of its own.
  terminal.Press(
      "SELECT 4711 * 2 AS n UNION ALL SELECT max(i) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION "
      "ALL SELECT i + 1 FROM n) SELECT i FROM n);\r");
  terminal.ReadTo("9422\r\n");
  terminal.Press("\x03");
  EXPECT_THAT(terminal.ReadTo("gordian> "), HasSubstr("ended before it was done"));
  terminal.Press("SELECT nonsense\x03");
  terminal.ReadTo("gordian> ");
  EXPECT_THAT(terminal.Ask("SELECT 1 + 1 AS two;"), HasSubstr("two\r\n2\r\n"));
  terminal.Press("SELECT\r");
  terminal.ReadTo("...> ");
  terminal.Press("\x03");
  terminal.ReadTo("gordian> ");
  EXPECT_THAT(terminal.Ask("SELECT 1 + 2 AS three;"), HasSubstr("three\r\n3\r\n"));
}

TEST_F(QueryPrompt, KeepsAHistoryForItsOwner) {
  terminal_.ReadTo("gordian> ");
  terminal_.Ask("SELECT 41 + 1 AS answer;");
  EXPECT_THAT(terminal_.Ask("\x1b[A"), HasSubstr("answer\r\n    42\r\n"));
  terminal_.Press(".quit\r");
  EXPECT_EQ(terminal_.WaitForEnd(), 0);
  EXPECT_THAT(History(), HasSubstr("answer"));
  namespace fs = std::filesystem;
  EXPECT_EQ(fs::status(dir_ / "state/gordian/query_history").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  QueryTerminal next(dir_ / "trace", dir_ / "state");
  next.ReadTo("gordian> ");
  next.Press("\x1b[A");  // .quit
  EXPECT_THAT(next.Ask("\x1b[A"), HasSubstr("42"));
}

TEST_F(QueryPrompt, ShowsNoMoreRowsThanAPersonReads) {
  terminal_.ReadTo("gordian> ");
  EXPECT_THAT(
      terminal_.Ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
                    "i FROM n;"),
      HasSubstr("only 1000 rows are shown"));
}

}  // namespace
}  // namespace gordian::testing
