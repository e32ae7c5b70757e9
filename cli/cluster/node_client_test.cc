#include "cli/cluster/node_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "recorder/certificates/test_certificates.h"
#include "recorder/control/network_server.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

class NodeClientTest : public ::testing::Test {
 protected:
  // A port of this machine at which nobody listens yet.
  void SetUp() override {
    auto listener = TcpListener::Open({.host = "127.0.0.1", .port = 0});
    ASSERT_TRUE(listener.ok()) << listener.status();
    address_ = listener->address();
  }

  void Serve() {
    auto store = SessionStore::Open(directory_.path() + "/state");
    ASSERT_TRUE(store.ok()) << store.status();
    sessions_.emplace(
        *std::move(store), SessionLimits{.max_session_bytes = 1 << 20, .min_free_bytes = 0},
        SessionEnvironment{
            .start_recording =
                [this](const RecordingOptions& options) { return fakes_.Start(options); },
            .realtime_now_ns = [] { return int64_t{0}; }});
    auto audit = AuditLog::Open(directory_.path() + "/audit.log");
    ASSERT_TRUE(audit.ok()) << audit.status();
    audit_ = *std::move(audit);
    auto listener = TcpListener::Open(address_);
    ASSERT_TRUE(listener.ok()) << listener.status();
    std::vector<TcpListener> listeners;
    listeners.push_back(*std::move(listener));
    auto identity =
        LoadTlsIdentity(authority_.Issue(HolderKind::kNode, "node"), TlsPurpose::kServer);
    ASSERT_TRUE(identity.ok()) << identity.status();
    NetworkServerOptions options;
    options.identity = *std::move(identity);
    auto server = NetworkServer::Start(std::move(listeners), *sessions_, *audit_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  NodeClient Operator() const {
    return {{.name = "node", .address = address_},
            Contents(authority_.Issue(HolderKind::kOperator, "alice"))};
  }

  TestDirectory directory_;
  const TestAuthority authority_ = TestAuthority(directory_.path());
  FakeRecordings fakes_;
  NetworkAddress address_;
  std::optional<SessionManager> sessions_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<NetworkServer> server_;
};

TEST_F(NodeClientTest, ANodeWhosePortOpensLateIsStillArmed) {
  NodeClient client = Operator();
  // From now on the channel knows that it could not connect.
  EXPECT_THAT(client.List().status().message(), HasSubstr("nobody listens at"));
  pb::StartRequest request;
  request.set_name("run1");
  auto armed = std::async(std::launch::async, [&] { return client.Arm(request); });
  Serve();
  const absl::StatusOr<pb::StartResponse> response = armed.get();
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->session().name(), "run1");
}

}  // namespace
}  // namespace gordian
