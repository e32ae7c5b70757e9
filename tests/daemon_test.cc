// SPDX-License-Identifier: Apache-2.0
// gordiand with the real recorder, asked by gordian, as processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "recorder/sessions/test_directory.h"
#include "schema/session.pb.h"
#include "tests/program.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr uid_t kNobody = 65534;
// Only a failing test waits this long.
constexpr auto kPatience = std::chrono::minutes(1);

// The socket at which systemd listens for sd_notify.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    bind(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
    const timeval patience = {.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }

  // The next notification that is not only about the status line; empty after a minute without one.
  std::string Next() const {
    while (true) {
      std::array<char, 256> text;
      const ssize_t size = recv(socket_.number(), text.data(), text.size(), 0);
      if (size <= 0) return "";
      const std::string notification(text.data(), static_cast<size_t>(size));
      if (!notification.starts_with("STATUS=")) return notification;
    }
  }
  std::string variable() const { return "NOTIFY_SOCKET=" + path_; }

 private:
  const std::string path_;
  const FileDescriptor socket_;
};

class DaemonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    chmod(directory_.path().c_str(), 0755);
    StartDaemon();
  }

  void StartDaemon(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        GORDIAND_PROGRAM, "--socket", socket_,      "--state-dir", state_,
        "--min-free",     "1M",       "--max-size", "256M"};
    words.insert(words.end(), more.begin(), more.end());
    daemon_ = std::make_unique<BackgroundProgram>(
        words, std::vector<std::string>{notify_.variable()}, directory_.path() + "/log");
    ASSERT_EQ(notify_.Next(), "READY=1") << Log();
  }

  std::string Log() const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() + "/log").rdbuf();
    return text.str();
  }

  ProgramResult Gordian(std::vector<std::string> words, std::optional<uid_t> uid = std::nullopt) {
    words.insert(words.begin(), GORDIAN_PROGRAM);
    words.insert(words.end(), {"--socket", socket_});
    return RunProgram(words, uid);
  }

  pb::Session SessionFile(const std::string& name) {
    pb::Session session;
    std::ifstream file(state_ + "/sessions/" + name + "/session.pb", std::ios::binary);
    EXPECT_TRUE(session.ParseFromIstream(&file)) << name;
    return session;
  }

  TestDirectory directory_;
  const std::string socket_ = directory_.path() + "/run/socket";
  const std::string state_ = directory_.path() + "/state";
  const NotifySocket notify_{directory_.path() + "/notify"};
  std::unique_ptr<BackgroundProgram> daemon_;
};

TEST_F(DaemonTest, SessionsAreStartedWatchedSnapshotStoppedAndListed) {
  ProgramResult result = Gordian({"start", "web", "--duration", "1h"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("recording web into " + state_ + "/sessions/web by "));
  ASSERT_EQ(Gordian({"start", "flight", "--ring", "16M"}).exit_code, 0);

  result = Gordian({"status"});
  EXPECT_THAT(result.output, HasSubstr("web     recording"));
  EXPECT_THAT(result.output, HasSubstr("flight  recording"));
  result = Gordian({"status", "flight", "--json"});
  EXPECT_THAT(result.output, HasSubstr("\"ring_bytes\": 16777216"));
  EXPECT_THAT(result.output, Not(HasSubstr("\"web\"")));

  result = Gordian({"snapshot", "flight", "cut"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("snapshot of flight in " + state_ + "/sessions/cut, "));
  EXPECT_EQ(SessionFile("cut").snapshot_of(), "flight");

  result = Gordian({"stop", "web"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("web: "));
  EXPECT_TRUE(SessionFile("web").complete());
  EXPECT_EQ(SessionFile("web").end_reason(), "asked");
  EXPECT_FALSE(SessionFile("flight").complete());

  result = Gordian({"stop", "web"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("session 'web' has ended already"));
  result = Gordian({"list"});
  EXPECT_THAT(result.output, HasSubstr("web   complete"));
  EXPECT_THAT(result.output, HasSubstr("snapshot of flight"));
  EXPECT_THAT(Gordian({"list", "--json"}).output, HasSubstr("\"state\": \"complete\""));
}

TEST_F(DaemonTest, LimitsHoldAgainstRootToo) {
  ProgramResult result = Gordian({"start", "large", "--max-size", "1G"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("--max-size 1 GiB is cut to 256 MiB"));
  result = Gordian({"start", "required", "--max-size", "1G", "--require"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("--max-size 1 GiB is beyond this node's max-size of 256 MiB"));
  ASSERT_EQ(Gordian({"stop", "large"}).exit_code, 0);
  result = Gordian({"start", "long", "--duration", "365d", "--require"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("--duration 365 d is beyond this node's max-duration of 30 d"));
  EXPECT_FALSE(fs::exists(state_ + "/sessions/required"));
  EXPECT_FALSE(fs::exists(state_ + "/sessions/long"));
}

TEST_F(DaemonTest, AProcessThatDoesNotExistLeavesNoSession) {
  const ProgramResult result = Gordian({"start", "web", "--pid", "2147483647"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("2147483647"));
  EXPECT_TRUE(fs::is_empty(state_ + "/sessions"));
}

TEST_F(DaemonTest, AnotherUserMayLookButNotTouch) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"start", "mine"}, {"stop", "web"}, {"snapshot", "web"}}) {
    const ProgramResult result = Gordian(words, kNobody);
    EXPECT_EQ(result.exit_code, 1) << words[0];
    EXPECT_THAT(result.errors,
                StartsWith("gordian: only root and members of the group gordian may " + words[0] +
                           " sessions; use sudo, or join: "));
  }
  EXPECT_THAT(Gordian({"status"}, kNobody).output, HasSubstr("web   recording"));
  EXPECT_EQ(Gordian({"list"}, kNobody).output, "no finished sessions\n");
  const auto mode = fs::status(state_ + "/sessions/web").permissions();
  EXPECT_EQ(mode & fs::perms::others_all, fs::perms::none);
}

TEST_F(DaemonTest, ASessionThatEndsByItselfIsShownAsSuch) {
  ASSERT_EQ(Gordian({"start", "short", "--duration", "100ms"}).exit_code, 0);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::string status;
  do {
    status = Gordian({"status", "short"}).output;
  } while (status.find("ended") == std::string::npos &&
           std::chrono::steady_clock::now() < deadline);
  EXPECT_THAT(status, HasSubstr("duration"));
  EXPECT_TRUE(SessionFile("short").complete());
  const ProgramResult result = Gordian({"stop", "short"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("; had ended: duration; in "));
}

TEST_F(DaemonTest, SigtermEndsEverySessionCleanly) {
  ASSERT_EQ(Gordian({"start", "a"}).exit_code, 0);
  ASSERT_EQ(Gordian({"start", "b"}).exit_code, 0);
  EXPECT_EQ(daemon_->End(SIGTERM), 0) << Log();
  EXPECT_EQ(notify_.Next(), "STOPPING=1");
  EXPECT_TRUE(SessionFile("a").complete());
  EXPECT_TRUE(SessionFile("b").complete());
  EXPECT_EQ(SessionFile("b").end_reason(), "daemon stopped");
  EXPECT_GT(SessionFile("b").events(), 0u);
  EXPECT_THAT(Log(), HasSubstr("info: b ended (daemon stopped): "));
  EXPECT_FALSE(fs::exists(socket_));
  EXPECT_THAT(Gordian({"status"}).errors, HasSubstr("no daemon at " + socket_));
}

TEST_F(DaemonTest, AKilledDaemonIsReplacedAndItsSessionsAreIncomplete) {
  ASSERT_EQ(Gordian({"start", "web"}).exit_code, 0);
  EXPECT_EQ(daemon_->End(SIGKILL), 128 + SIGKILL);
  EXPECT_TRUE(fs::exists(socket_));
  EXPECT_THAT(Gordian({"status"}).errors, HasSubstr("no daemon at " + socket_));

  StartDaemon();
  EXPECT_EQ(Gordian({"status"}).output, "no sessions are running\n");
  EXPECT_THAT(Gordian({"list"}).output, HasSubstr("web   incomplete"));
  EXPECT_EQ(Gordian({"start", "web"}).exit_code, 1);
}

TEST_F(DaemonTest, ASecondDaemonIsRefused) {
  const std::string other = directory_.path() + "/other";
  ProgramResult result = RunProgram({GORDIAND_PROGRAM, "--socket", socket_, "--state-dir", other});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, StartsWith("gordiand: another gordiand serves " + socket_));
  result = RunProgram({GORDIAND_PROGRAM, "--socket", other + "/socket", "--state-dir", state_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              StartsWith("gordiand: another gordiand keeps its sessions in " + state_));
  EXPECT_EQ(Gordian({"status"}).exit_code, 0);
}

}  // namespace
}  // namespace gordian
