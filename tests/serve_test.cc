// SPDX-License-Identifier: Apache-2.0
// gordian serve as people start it, ask it, and end it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "http/testing/test_client.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TempDir;
using testing::TestClient;
using testing::VaryingTrace;

std::string TextIn(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Serve : public ::testing::Test {
 protected:
  Serve() { EXPECT_TRUE(VaryingTrace({}).WriteSession(dir_ / "trace").ok()); }

  // Its output goes into a file by a shell, which it replaces.
  void Start(const std::string& options, const std::vector<std::string>& environment = {}) {
    std::vector<std::string> all = {"DISPLAY=", "WAYLAND_DISPLAY="};
    all.insert(all.end(), environment.begin(), environment.end());
    program_ = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{
            "/bin/sh", "-c",
            std::string("exec ") + GORDIAN_PROGRAM + " serve " + options + " > " + (dir_ / "out")},
        all, dir_ / "err");
    while (Output().find("Ctrl-C") == std::string::npos && !program_->Ended())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::string Output() const { return TextIn(dir_ / "out"); }
  uint16_t Port() const {
    return static_cast<uint16_t>(
        std::atoi(Output().c_str() + std::string("http://127.0.0.1:").size()));
  }
  std::string Token() const { return Output().substr(Output().find("token=") + 6, 32); }
  std::string Get(const std::string& target) const {
    TestClient client(Port());
    client.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                Token() + "\r\n\r\n");
    return client.Receive();
  }
  // The answer once the recording is read.
  std::string GetRead(const std::string& target) const {
    while (true) {
      std::string answer = Get(target);
      if (answer.find(" 503 ") == std::string::npos) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  TempDir dir_;
  std::unique_ptr<BackgroundProgram> program_;
};

TEST_F(Serve, PrintsAnAddressThatLeadsToTheReport) {
  Start(dir_ / "trace");
  EXPECT_THAT(Output(), StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(Output(), HasSubstr("ssh -L"));
  TestClient client(Port());
  client.Send("GET /?token=" + Token() + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.Receive(), HasSubstr("Set-Cookie: gordian-"));
  EXPECT_THAT(GetRead("/api/0/page"), HasSubstr("\"verdict\":"));
}

TEST_F(Serve, EndsAtCtrlCWithoutAnError) {
  Start(dir_ / "trace");
  EXPECT_EQ(program_->End(SIGINT), 0);
  EXPECT_EQ(TextIn(dir_ / "err"), "");
}

TEST_F(Serve, EndsAtCtrlCWhileBrowsersAreConnected) {
  Start(dir_ / "trace");
  TestClient idle(Port());
  TestClient half(Port());
  half.Send("GET / HT");
  EXPECT_EQ(program_->End(SIGINT), 0);
}

TEST_F(Serve, ServesSeveralRecordingsSideBySide) {
  ASSERT_TRUE(VaryingTrace({.seed = 2}).WriteSession(dir_ / "after").ok());
  Start((dir_ / "trace") + " " + (dir_ / "after"));
  EXPECT_THAT(GetRead("/api/1/page"), HasSubstr("\"verdict\":"));
  EXPECT_THAT(Get("/api/recordings"), HasSubstr("\"name\":\"after\""));
}

TEST_F(Serve, SaysTheSameAsAnalyze) {
  Start(dir_ / "trace");
  const std::string page = GetRead("/api/0/page");
  const ProgramResult told =
      RunProgram({GORDIAN_PROGRAM, "analyze", dir_ / "trace", "--quiet", "--json", "-"});
  const size_t at = told.output.find("\"title\": ") + 9;
  const std::string title = told.output.substr(at, told.output.find('\n', at) - at - 1);
  ASSERT_GT(title.size(), 10u);
  EXPECT_THAT(page, HasSubstr(title));
}

TEST_F(Serve, OpensABrowserOnADesktopWithoutShowingTheTokenToOthers) {
  ASSERT_EQ(mkdir((dir_ / "bin").c_str(), 0700), 0);
  std::ofstream(dir_ / "bin/xdg-open")
      << "#!/bin/sh\nstat -c %a \"$(dirname \"$1\")\" > " << dir_.path() << "/mode\ncat \"$1\" > "
      << dir_.path() << "/part\necho \"$1\" > " << dir_.path() << "/arg\nmv " << dir_.path()
      << "/part " << dir_.path() << "/opened\n";
  ASSERT_EQ(chmod((dir_ / "bin/xdg-open").c_str(), 0700), 0);
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  Start(dir_ / "trace",
        {"DISPLAY=:7", "PATH=" + (dir_ / "bin") + ":" + path, "XDG_RUNTIME_DIR=" + dir_.path()});
  while (TextIn(dir_ / "opened").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THAT(TextIn(dir_ / "opened"), HasSubstr("?token=" + Token()));
  EXPECT_THAT(TextIn(dir_ / "arg"), Not(HasSubstr(Token())));
  EXPECT_EQ(TextIn(dir_ / "mode"), "700\n");
  EXPECT_EQ(program_->End(SIGINT), 0);
  for (const std::string& entry : dir_.Entries())
    EXPECT_THAT(entry, Not(StartsWith("gordian-serve")));
}

TEST_F(Serve, OpensNoneIfToldSo) {
  Start("--no-browser " + (dir_ / "trace"), {"DISPLAY=:7", "PATH=/nothing"});
  EXPECT_THAT(GetRead("/api/0/page"), HasSubstr("\"verdict\":"));
}

TEST_F(Serve, RefusesInOneLineWhatMakesNoSense) {
  const auto fails = [this](const std::vector<std::string>& options) {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "serve", dir_ / "trace"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult result = RunProgram(words);
    EXPECT_NE(result.exit_code, 0);
    return result.errors;
  };
  EXPECT_THAT(fails({"--listen", "0.0.0.0:9000"}), HasSubstr("ssh -L"));
  EXPECT_THAT(fails({"--listen", "nowhere"}), HasSubstr("no address to listen at"));
  EXPECT_THAT(fails({"--racks", dir_ / "none"}), HasSubstr("cannot read"));
  EXPECT_THAT(fails({dir_ / "nothing"}), HasSubstr("does not exist"));
  EXPECT_THAT(fails({"--in-place"}), HasSubstr("about a session"));
  std::ofstream(dir_ / "racks") << "# racks\nr1 n1\nr2\n";
  EXPECT_THAT(fails({"--racks", dir_ / "racks"}), HasSubstr("racks:3: write a rack and a node"));
}

}  // namespace
}  // namespace gordian
