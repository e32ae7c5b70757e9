// SPDX-License-Identifier: Apache-2.0
// A recording at a terminal, whose user is impatient.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "recorder/sessions/test_directory.h"
#include "recorder/sources/file_text.h"
#include "tests/program.h"
#include "tests/support/recorded_session.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCtrlC = '\x03';

// gordian, and its COMMAND, at a terminal of their own.
class AtTerminal {
 public:
  explicit AtTerminal(std::vector<std::string> words) {
    winsize size = {.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = forkpty(&master_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    setenv("TERM", "xterm", 1);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  ~AtTerminal() {
    if (!ended_) kill(pid_, SIGKILL);
    Ended();
    Close();
  }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;

  void Type(char letter) const { EXPECT_EQ(write(master_, &letter, 1), 1); }
  void Close() {
    if (master_ >= 0) close(master_);
    master_ = -1;
  }
  // Until the screen has shown it; false if the program ended before.
  bool Await(const std::string& text) {
    while (screen_.find(text) == screen_.npos)
      if (!ReadSome()) return false;
    return true;
  }
  // The exit code, as a shell tells it.
  int Ended() {
    if (ended_) return code_;
    while (master_ >= 0 && ReadSome()) {
    }
    Reap(0);
    return code_;
  }
  bool HasEnded() {
    if (!ended_) Reap(WNOHANG);
    return ended_;
  }
  const std::string& screen() const { return screen_; }

 private:
  void Reap(int options) {
    int status = 0;
    if (waitpid(pid_, &status, options) != pid_) return;
    ended_ = true;
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  bool ReadSome() {
    std::array<char, 4096> chunk;
    const ssize_t got = read(master_, chunk.data(), chunk.size());
    if (got <= 0) return false;
    screen_.append(chunk.data(), static_cast<size_t>(got));
    return true;
  }

  pid_t pid_ = -1;
  int master_ = -1;
  bool ended_ = false;
  int code_ = -1;
  std::string screen_;
};

class CtrlCTest : public ::testing::Test {
 protected:
  std::vector<std::string> Record(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "-o", directory()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string directory() const { return folder_.path() + "/run"; }
  void ExpectCompleteFolder() const {
    const absl::StatusOr<RecordedSession> recorded = LoadSession(directory());
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    EXPECT_TRUE(recorded->session.complete());
    EXPECT_EQ(recorded->damage.corrupt_blocks, 0u);
    EXPECT_GT(recorded->CountFromCpus(EventKind::kSwitch), 0u);
  }
  TestDirectory folder_;
};

TEST_F(CtrlCTest, OnceEndsItWell) {
  AtTerminal gordian(Record());
  ASSERT_TRUE(gordian.Await("Ctrl-C ends it")) << gordian.screen();
  gordian.Type(kCtrlC);
  EXPECT_EQ(gordian.Ended(), 0);
  EXPECT_THAT(gordian.screen(), HasSubstr("Ctrl-C leaves the names out"));
  EXPECT_THAT(gordian.screen(), HasSubstr("none lost"));
  EXPECT_THAT(gordian.screen(), Not(HasSubstr("gordian symbolize")));
  ExpectCompleteFolder();
}

// It may come too late, and then changes nothing.
TEST_F(CtrlCTest, TwiceLeavesACompleteFolder) {
  AtTerminal gordian(Record({"--stacks", "all"}));
  ASSERT_TRUE(gordian.Await("Ctrl-C ends it")) << gordian.screen();
  gordian.Type(kCtrlC);
  ASSERT_TRUE(gordian.Await("Ctrl-C leaves the names out")) << gordian.screen();
  gordian.Type(kCtrlC);
  const int code = gordian.Ended();
  const bool was_over =
      code == 128 + SIGINT && gordian.screen().find("recorded") != std::string::npos;
  EXPECT_TRUE(code == 0 || was_over) << code << gordian.screen();
  ExpectCompleteFolder();
}

TEST_F(CtrlCTest, TheCommandGetsItAndEndsInItsOwnWay) {
  const std::string said = folder_.path() + "/said";
  AtTerminal gordian(Record({"--", "/bin/sh", "-c",
                             "trap 'echo interrupted >> " + said +
                                 "; exit 3' INT; "
                                 "trap 'echo terminated >> " +
                                 said +
                                 "' TERM; "
                                 "echo begun; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(gordian.Await("begun")) << gordian.screen();
  gordian.Type(kCtrlC);
  EXPECT_EQ(gordian.Ended(), 0) << gordian.screen();  // the user ended it
  EXPECT_EQ(ReadSmallFile(said).value_or(""), "interrupted");
  ExpectCompleteFolder();
}

TEST_F(CtrlCTest, AClosedTerminalEndsItWell) {
  AtTerminal gordian(Record());
  ASSERT_TRUE(gordian.Await("Ctrl-C ends it")) << gordian.screen();
  gordian.Close();
  EXPECT_EQ(gordian.Ended(), 0);
  ExpectCompleteFolder();
}

TEST_F(CtrlCTest, BelowNohupAClosedTerminalEndsNothing) {
  const std::string said = folder_.path() + "/said";
  AtTerminal gordian({"/bin/sh", "-c",
                      "exec nohup " GORDIAN_PROGRAM " record --duration 1s -o " + directory() +
                          " > " + said + " 2>&1"});
  while (!std::filesystem::exists(directory() + "/session.pb")) {
    ASSERT_FALSE(gordian.HasEnded()) << gordian.Ended();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  gordian.Close();
  EXPECT_EQ(gordian.Ended(), 0);
  const absl::StatusOr<RecordedSession> recorded = LoadSession(directory());
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->session.end_reason(), "duration");
}

TEST_F(CtrlCTest, AReaderOfItsLinesThatGoesAwayEndsNothing) {
  const ProgramResult result =
      RunProgram({"/bin/sh", "-c",
                  std::string(GORDIAN_PROGRAM) + " record -o " + directory() +
                      " --duration 300ms 2>&1 | true; exit 0"});
  EXPECT_EQ(result.exit_code, 0);
  ExpectCompleteFolder();
}

TEST_F(CtrlCTest, TheCommandsExitCodeIsGordians) {
  const std::vector<std::pair<std::vector<std::string>, int>> cases = {
      {{"/bin/true"}, 0},
      {{"/bin/sh", "-c", "exit 7"}, 7},
      {{"/bin/sh", "-c", "kill -SEGV $$"}, 128 + SIGSEGV},
      {{"/nowhere/program"}, 127},
      {{"/etc/passwd"}, 126}};
  for (const auto& [command, code] : cases) {
    std::vector<std::string> words = Record({"--quiet", "--"});
    words.insert(words.end(), command.begin(), command.end());
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, code) << command[0] << result.errors;
    EXPECT_EQ(std::filesystem::exists(directory()), code < 126 || code > 127) << command[0];
    std::filesystem::remove_all(directory());
  }
  // Its end was asked for by gordian's own limit.
  EXPECT_EQ(
      RunProgram(Record({"--quiet", "--duration", "300ms", "--", "/bin/sleep", "100"})).exit_code,
      0);
}

TEST_F(CtrlCTest, AFolderThatIsTakenIsLeftAloneAndAFreeNameTold) {
  ASSERT_EQ(RunProgram(Record({"--quiet", "--", "/bin/true"})).exit_code, 0);
  const auto before = ReadSmallFile(directory() + "/session.pb", 1 << 20);
  const ProgramResult again = RunProgram(Record({"--", "/bin/true"}));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.errors, HasSubstr("holds a recording already"));
  EXPECT_THAT(again.errors, HasSubstr("-o " + directory() + "-2;"));
  EXPECT_EQ(ReadSmallFile(directory() + "/session.pb", 1 << 20), before);
}

TEST_F(CtrlCTest, QuietShowsNothing) {
  AtTerminal gordian(Record({"--quiet", "--duration", "300ms"}));
  EXPECT_EQ(gordian.Ended(), 0);
  EXPECT_EQ(gordian.screen(), "");
  ExpectCompleteFolder();
}

}  // namespace
}  // namespace gordian::testing
