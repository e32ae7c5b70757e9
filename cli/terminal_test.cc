// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gordian {
namespace {

// A terminal of so many columns; 0: it does not tell.
class TestTerminal {
 public:
  explicit TestTerminal(unsigned short columns) : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    fd_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    winsize size{};
    size.ws_col = columns;
    EXPECT_EQ(ioctl(fd_, TIOCSWINSZ, &size), 0);
  }
  ~TestTerminal() {
    close(fd_);
    close(master_);
  }
  int fd() const { return fd_; }

 private:
  int master_;
  int fd_ = -1;
};

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLUMNS");
  }
};

TEST_F(TerminalTest, ColoursAreForTerminals) {
  const TestTerminal terminal(80);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_TRUE(WantsColour(ColourChoice::kAuto, terminal.fd()));
  EXPECT_FALSE(WantsColour(ColourChoice::kAuto, ends[1]));
  EXPECT_TRUE(WantsColour(ColourChoice::kAlways, ends[1]));
  EXPECT_FALSE(WantsColour(ColourChoice::kNever, terminal.fd()));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(TerminalTest, TheUsersWishIsHeeded) {
  const TestTerminal terminal(80);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(WantsColour(ColourChoice::kAuto, terminal.fd()));
  EXPECT_TRUE(WantsColour(ColourChoice::kAlways, terminal.fd()));
  setenv("NO_COLOR", "", 1);  // as no-color.org has it: not empty
  EXPECT_TRUE(WantsColour(ColourChoice::kAuto, terminal.fd()));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(WantsColour(ColourChoice::kAuto, terminal.fd()));
  EXPECT_FALSE(IsTerminal(terminal.fd()));
}

TEST_F(TerminalTest, PagesFitTheTerminalWithinBounds) {
  EXPECT_EQ(PageColumns(TestTerminal(72).fd()), 72u);
  EXPECT_EQ(PageColumns(TestTerminal(250).fd()), kMostPageColumns);
  EXPECT_EQ(PageColumns(TestTerminal(5).fd()), kLeastPageColumns);
  EXPECT_EQ(PageColumns(TestTerminal(0).fd()), kUsualPageColumns);
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(PageColumns(TestTerminal(0).fd()), 60u);
  EXPECT_EQ(PageColumns(TestTerminal(72).fd()), 72u);
  for (const char* nonsense : {"", "-5", "wide", "99999999999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(PageColumns(TestTerminal(0).fd()), kUsualPageColumns) << nonsense;
  }
}

TEST_F(TerminalTest, FilesHaveTheUsualWidth) {
  setenv("COLUMNS", "60", 1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(PageColumns(ends[1]), kUsualPageColumns);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(TerminalTest, ALineThatIsDrawnAgainNeverWraps) {
  EXPECT_EQ(FitToTerminal("recording 3 s", TestTerminal(10).fd()), "recordin…");
  EXPECT_EQ(FitToTerminal("recording 3 s", TestTerminal(80).fd()), "recording 3 s");
  EXPECT_EQ(FitToTerminal("recording 3 s", TestTerminal(0).fd()), "recording 3 s");
}

}  // namespace
}  // namespace gordian
