// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <optional>
#include <random>

#include "recorder/certificates/test_certificates.h"
#include "recorder/control/control_server.h"
#include "recorder/control/network_server.h"
#include "recorder/control/test_grpc_end.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

const ::testing::Environment* const kGrpcEnd = ::testing::AddGlobalTestEnvironment(new GrpcEnd);

using ::testing::HasSubstr;

class ClusterTest : public ::testing::Test {
 protected:
  // A port of this machine at which no process listens yet. It is none that the kernel gives to
  // whoever asks for any: another test might get it until the server listens.
  void SetUp() override {
    constexpr uint16_t kFirst = 20'000, kLast = 32'000;
    std::random_device random;
    std::uniform_int_distribution<uint16_t> ports(kFirst, kLast);
    absl::StatusOr<TcpListener> listener = absl::UnknownError("none tried");
    for (int i = 0; i < 100 && !listener.ok(); ++i)
      listener = TcpListener::Open({.host = "127.0.0.1", .port = ports(random)});
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

  ControlClient Operator() const {
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

TEST_F(ClusterTest, ANodeWhosePortOpensLateIsStillArmed) {
  ControlClient client = Operator();
  // From now on the channel knows that it could not connect.
  EXPECT_THAT(client.Ask(rpc::kList, {}).status().message(), HasSubstr("no daemon listens at"));
  pb::StartRequest request;
  request.set_name("run1");
  auto armed = std::async(std::launch::async, [&] { return client.Ask(rpc::kArm, request); });
  Serve();
  const absl::StatusOr<pb::StartResponse> response = armed.get();
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->session().name(), "run1");
}

TEST_F(ClusterTest, ANodeThatIsBackAnswersTheNextCall) {
  ControlClient client = Operator();
  // Each call waits for a second, so the channel has failed to connect for that long.
  constexpr int kCallsBefore = 6;
  for (int i = 0; i < kCallsBefore; ++i)
    EXPECT_THAT(client.Ask(rpc::kList, {}).status().message(), HasSubstr("no daemon listens at"));
  Serve();
  const auto answer = client.Ask(rpc::kList, {});
  EXPECT_TRUE(answer.ok()) << answer.status();
}

// As a command without --nodes asks it.
TEST_F(ClusterTest, TheDaemonOfThisMachineIsAClusterOfOne) {
  const DaemonChoice choice = {.socket = directory_.path() + "/socket"};
  EXPECT_THAT(Cluster::Open(choice).status().message(), HasSubstr("no daemon at " + choice.socket));
  Serve();
  auto listener = UnixListener::Open(choice.socket);
  ASSERT_TRUE(listener.ok()) << listener.status();
  auto server = ControlServer::Start(*std::move(listener), *sessions_, "nogroup");
  ASSERT_TRUE(server.ok()) << server.status();

  absl::StatusOr<Cluster> cluster = Cluster::Open(choice);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_TRUE(cluster->is_this_machine());
  ASSERT_EQ(cluster->size(), 1u);
  pb::StatusRequest request;
  auto answers = cluster->AskAll(rpc::kStatus, request);
  ASSERT_TRUE(answers[0].ok()) << answers[0].status();
  EXPECT_EQ(answers[0]->sessions_size(), 0);
  request.set_name("../x");
  answers = cluster->AskAll(rpc::kStatus, request);
  EXPECT_TRUE(absl::IsInvalidArgument(answers[0].status()));

  server->reset();
  answers = cluster->AskAll(rpc::kStatus, request);
  EXPECT_THAT(answers[0].status().message(), HasSubstr("journalctl -u gordiand"));
}

TEST_F(ClusterTest, ManyNodesAreAskedAtOnceAndEachAnswersForItself) {
  Serve();
  const TlsFiles files = authority_.Issue(HolderKind::kViewer, "bob");
  const DaemonChoice choice = {.nodes = "@both", .nodes_file = directory_.path() + "/nodes.yaml"};
  std::ofstream(choice.nodes_file) << "certificate: " << files.certificate << "\nkey: " << files.key
                                   << "\nauthority: " << files.authority
                                   << "\nnodes:\n  a: " << address_.text() << "\n  b: 127.0.0.1:1\n"
                                   << "groups: {both: [b, a]}\n";
  absl::StatusOr<Cluster> cluster = Cluster::Open(choice);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_FALSE(cluster->is_this_machine());
  EXPECT_EQ(cluster->reference().name, "b");
  const auto answers = cluster->AskAll(rpc::kList, pb::ListRequest());
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_THAT(answers[0].status().message(), HasSubstr("no daemon listens at 127.0.0.1:1"));
  EXPECT_TRUE(answers[1].ok()) << answers[1].status();
}

}  // namespace
}  // namespace gordian
