// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/control_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <grpcpp/create_channel_posix.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder/control/test_peer.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"
#include "schema/control.grpc.pb.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using Stub = std::unique_ptr<pb::Control::Stub>;

constexpr const char* kOperatorsGroup = "daemon";  // Debian's base system has it

// Long enough for any machine: only a failing test waits for it.
void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
}

class ControlServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanBeSomebodyElse()) GTEST_SKIP() << "needs root";
    chmod(directory_.path().c_str(), 0755);
    auto store = SessionStore::Open(directory_.path() + "/state");
    ASSERT_TRUE(store.ok()) << store.status();
    sessions_.emplace(
        *std::move(store), SessionLimits{.min_free_bytes = 0},
        SessionEnvironment{
            .start_recording = [this](RecordingOptions options) { return fakes_.Start(options); },
            .realtime_now_ns = [] { return int64_t{0}; }});
    auto listener = UnixListener::Open(path_);
    ASSERT_TRUE(listener.ok()) << listener.status();
    auto server = ControlServer::Start(*std::move(listener), *sessions_, kOperatorsGroup);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  Stub ConnectedAs(const TestIdentity& identity) {
    auto connection = ConnectAs(identity, path_);
    EXPECT_TRUE(connection.ok()) << connection.status();
    if (!connection.ok()) return nullptr;
    fcntl(connection->number(), F_SETFL, O_NONBLOCK);
    return pb::Control::NewStub(grpc::CreateInsecureChannelFromFd("test", connection->Release()));
  }

  static grpc::Status Start(pb::Control::Stub& stub, const std::string& name) {
    grpc::ClientContext context;
    SetDeadline(context);
    pb::StartRequest request;
    request.set_name(name);
    pb::StartResponse response;
    return stub.Start(&context, request, &response);
  }
  static grpc::Status Stop(pb::Control::Stub& stub, const std::string& name) {
    grpc::ClientContext context;
    SetDeadline(context);
    pb::StopRequest request;
    request.set_name(name);
    pb::StopResponse response;
    return stub.Stop(&context, request, &response);
  }
  static grpc::Status Snapshot(pb::Control::Stub& stub, const std::string& name,
                               const std::string& snapshot_name) {
    grpc::ClientContext context;
    SetDeadline(context);
    pb::SnapshotRequest request;
    request.set_name(name);
    request.set_snapshot_name(snapshot_name);
    pb::SnapshotResponse response;
    return stub.Snapshot(&context, request, &response);
  }
  static grpc::Status Status(pb::Control::Stub& stub, pb::StatusResponse& response) {
    grpc::ClientContext context;
    SetDeadline(context);
    return stub.Status(&context, pb::StatusRequest(), &response);
  }
  static grpc::Status List(pb::Control::Stub& stub, pb::ListResponse& response) {
    grpc::ClientContext context;
    SetDeadline(context);
    return stub.List(&context, pb::ListRequest(), &response);
  }

  void ExpectOperator(const TestIdentity& identity) {
    const Stub stub = ConnectedAs(identity);
    ASSERT_NE(stub, nullptr);
    const std::string name = "s" + std::to_string(++made_);
    EXPECT_TRUE(Start(*stub, name).ok());
    EXPECT_TRUE(Snapshot(*stub, name, name + "-cut").ok());
    EXPECT_TRUE(Stop(*stub, name).ok());
  }

  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/socket";
  int made_ = 0;
  FakeRecordings fakes_;
  std::optional<SessionManager> sessions_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, RootMayDoEverything) { ExpectOperator({}); }

TEST_F(ControlServerTest, MembersOfTheGroupMayDoEverything) {
  const gid_t operators = getgrnam(kOperatorsGroup)->gr_gid;
  ExpectOperator({.uid = kNobody, .gid = operators});
  ExpectOperator({.uid = kNobody, .gid = kNobody, .supplementary_gids = {operators}});
}

TEST_F(ControlServerTest, AnotherUserMayLookButNotTouch) {
  const Stub root = ConnectedAs({});
  ASSERT_TRUE(Start(*root, "web").ok());
  ASSERT_TRUE(Start(*root, "old").ok());
  ASSERT_TRUE(Stop(*root, "old").ok());

  const Stub other = ConnectedAs({.uid = kNobody, .gid = kNobody});
  ASSERT_NE(other, nullptr);
  const std::pair<const char*, grpc::Status> refusals[] = {
      {"start", Start(*other, "mine")},
      {"stop", Stop(*other, "web")},
      {"snapshot", Snapshot(*other, "web", "cut")},
  };
  for (const auto& [verb, status] : refusals) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED) << verb;
    EXPECT_THAT(status.error_message(),
                HasSubstr(std::string("only root and members of the group daemon may ") + verb));
  }
  pb::StatusResponse running;
  EXPECT_TRUE(Status(*other, running).ok());
  ASSERT_EQ(running.sessions_size(), 1);
  EXPECT_EQ(running.sessions(0).name(), "web");
  EXPECT_NE(running.daemon_version(), "");
  EXPECT_GT(running.free_bytes(), 0u);
  pb::ListResponse finished;
  EXPECT_TRUE(List(*other, finished).ok());
  ASSERT_EQ(finished.sessions_size(), 1);
  EXPECT_EQ(finished.sessions(0).name(), "old");
}

TEST_F(ControlServerTest, TheManagersRefusalsArriveAsTheyAre) {
  const Stub root = ConnectedAs({});
  const grpc::Status unknown = Stop(*root, "nobody");
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("no session 'nobody'"));
  EXPECT_EQ(Start(*root, "../etc").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(Start(*root, "refused").error_message(), HasSubstr("no BTF here"));
}

// Clients take UNAVAILABLE for a daemon that is gone.
TEST_F(ControlServerTest, ADaemonThatIsStoppingSaysSoItself) {
  const Stub root = ConnectedAs({});
  sessions_->StopAll();
  const grpc::Status late = Start(*root, "late");
  EXPECT_EQ(late.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(late.error_message(), "gordiand is stopping");
}

TEST_F(ControlServerTest, ARequestOfMegabytesIsRefusedUnread) {
  const Stub root = ConnectedAs({});
  EXPECT_EQ(Stop(*root, std::string(1 << 20, 'x')).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(ControlServerTest, ACrowdOfViewersKeepsNoOperatorOut) {
  std::vector<FileDescriptor> crowd;
  bool turned_away = false;
  for (int i = 0; i < 200 && !turned_away; ++i) {
    auto connection = ConnectAs({.uid = kNobody, .gid = kNobody}, path_);
    ASSERT_TRUE(connection.ok()) << connection.status();
    // gRPC greets a client it serves; one that is turned away reads the end.
    pollfd event = {connection->number(), POLLIN, 0};
    ASSERT_EQ(poll(&event, 1, 60'000), 1);
    char byte = 0;
    turned_away = read(connection->number(), &byte, 1) == 0;
    crowd.push_back(*std::move(connection));
  }
  EXPECT_TRUE(turned_away);
  ExpectOperator({});
}

TEST_F(ControlServerTest, GarbageOnTheSocketHurtsNobody) {
  const auto connection = ConnectAs({.uid = kNobody, .gid = kNobody}, path_);
  ASSERT_TRUE(connection.ok());
  const std::string garbage(10'000, '\xff');
  ASSERT_GT(write(connection->number(), garbage.data(), garbage.size()), 0);
  ExpectOperator({});
}

TEST_F(ControlServerTest, AfterTheEndNobodyListens) {
  server_.reset();
  EXPECT_FALSE(ConnectUnix(path_).ok());
}

}  // namespace
}  // namespace gordian
