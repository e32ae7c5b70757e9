// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/network_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "recorder/certificates/test_certificates.h"
#include "recorder/control/remote_clock.h"
#include "recorder/control/rpcs.h"
#include "recorder/control/test_grpc_end.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "schema/control.grpc.pb.h"

namespace gordian {
namespace {

const ::testing::Environment* const kGrpcEnd = ::testing::AddGlobalTestEnvironment(new GrpcEnd);

using ::testing::HasSubstr;
using ::testing::Not;
using Code = grpc::StatusCode;
using Stub = std::unique_ptr<pb::Control::Stub>;

class NetworkServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that the server has cut
    Serve({});
  }

  void Serve(NetworkServerOptions options) {
    server_.reset();
    sessions_.reset();
    auto store = SessionStore::Open(directory_.path() + "/state");
    ASSERT_TRUE(store.ok()) << store.status();
    sessions_.emplace(
        *std::move(store), SessionLimits{.max_session_bytes = 1 << 20, .min_free_bytes = 0},
        SessionEnvironment{
            .start_recording = [this](RecordingOptions options) { return fakes_.Start(options); },
            .realtime_now_ns = [] { return int64_t{0}; }});
    auto audit = AuditLog::Open(audit_path_);
    ASSERT_TRUE(audit.ok()) << audit.status();
    audit_ = *std::move(audit);
    auto listener = TcpListener::Open({.host = "127.0.0.1", .port = 0});
    ASSERT_TRUE(listener.ok()) << listener.status();
    address_ = listener->address();
    std::vector<TcpListener> listeners;
    listeners.push_back(*std::move(listener));
    auto identity =
        LoadTlsIdentity(authority_.Issue(HolderKind::kNode, "node"), TlsPurpose::kServer);
    ASSERT_TRUE(identity.ok()) << identity.status();
    options.identity = *std::move(identity);
    auto server = NetworkServer::Start(std::move(listeners), *sessions_, *audit_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  Stub As(const TlsIdentity& identity) const {
    return pb::Control::NewStub(MutualTlsChannel(address_, identity));
  }
  Stub As(HolderKind kind) const { return As(Contents(authority_.Issue(kind, "client"))); }

  // One call with a deadline only a failing test waits for.
  template <typename Response, typename Call, typename Request>
  static grpc::Status Ask(const Stub& stub, Call call, const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    return ((*stub).*call)(&context, request, &response);
  }
  static grpc::Status Start(const Stub& stub, const std::string& name, uint64_t max_bytes = 0) {
    pb::StartRequest request;
    request.set_name(name);
    request.set_max_bytes(max_bytes);
    pb::StartResponse response;
    return Ask(stub, &pb::Control::Stub::Start, request, response);
  }
  static grpc::Status Stop(const Stub& stub, const std::string& name) {
    pb::StopRequest request;
    request.set_name(name);
    pb::StopResponse response;
    return Ask(stub, &pb::Control::Stub::Stop, request, response);
  }
  static grpc::Status Status(const Stub& stub) {
    pb::StatusResponse response;
    return Ask(stub, &pb::Control::Stub::Status, pb::StatusRequest(), response);
  }
  static grpc::Status Clock(const Stub& stub, pb::ClockResponse& response) {
    return Ask(stub, &pb::Control::Stub::Clock, pb::ClockRequest(), response);
  }

  // A call of that name with these bytes.
  static grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel, const char* rpc,
                           const std::string& bytes = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    grpc::CompletionQueue queue;
    grpc::GenericStub stub(channel);
    const grpc::Slice slice(bytes);
    const auto call = stub.PrepareUnaryCall(&context, std::string("/gordian.pb.Control/") + rpc,
                                            grpc::ByteBuffer(&slice, 1), &queue);
    call->StartCall();
    grpc::ByteBuffer response;
    grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return status;
  }

  // The whole of `file`, from `offset` on, and the checksum that came with it.
  static grpc::Status Fetch(const Stub& stub, const std::string& session, const std::string& file,
                            uint64_t offset, std::string& data, std::string& checksum) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    pb::FetchRequest request;
    request.set_name(session);
    request.set_file(file);
    request.set_offset(offset);
    const auto reader = stub->Fetch(&context, request);
    pb::FetchPart part;
    while (reader->Read(&part)) {
      data += part.data();
      if (!part.xxh3_128().empty()) checksum = part.xxh3_128();
    }
    return reader->Finish();
  }

  // A bare connection, for bytes that gRPC's client would not send.
  FileDescriptor Connect() const {
    FileDescriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(address_.port);
    inet_pton(AF_INET, address_.host.c_str(), &address.sin_addr);
    EXPECT_EQ(connect(connection.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)),
              0);
    const timeval patience = {.tv_sec = 60, .tv_usec = 0};
    setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return connection;
  }

  std::string Audit() const {
    std::ostringstream text;
    text << std::ifstream(audit_path_).rdbuf();
    return text.str();
  }

  TestDirectory directory_;
  const std::string audit_path_ = directory_.path() + "/audit.log";
  const TestAuthority authority_ = TestAuthority(directory_.path());
  FakeRecordings fakes_;
  std::optional<SessionManager> sessions_;
  std::unique_ptr<AuditLog> audit_;
  NetworkAddress address_;
  std::unique_ptr<NetworkServer> server_;
};

TEST_F(NetworkServerTest, AnOperatorMayDoEverythingAndItIsNoted) {
  const Stub stub = As(HolderKind::kOperator);
  EXPECT_TRUE(Start(stub, "web").ok());
  EXPECT_TRUE(Status(stub).ok());
  EXPECT_TRUE(Stop(stub, "web").ok());
  EXPECT_THAT(
      Audit(),
      HasSubstr(
          R"("action":"start","session":"web","result":"done","who":"client","role":"operator")"));
  EXPECT_THAT(Audit(), HasSubstr(R"("action":"stop")"));
  EXPECT_THAT(Audit(), HasSubstr(R"("from":"ipv4:127.0.0.1:)"));
}

// An empty request is refused for its role before anything looks at it.
TEST_F(NetworkServerTest, EveryCallIsRefusedToThoseBelowItsRole) {
  const std::pair<HolderKind, Role> holders[] = {{HolderKind::kNode, Role::kNone},
                                                 {HolderKind::kViewer, Role::kViewer},
                                                 {HolderKind::kOperator, Role::kOperator}};
  for (const auto& [holder, role] : holders) {
    const auto channel = MutualTlsChannel(address_, Contents(authority_.Issue(holder, "client")));
    for (const RpcRules* rules : kRpcs) {
      const Code code = Call(channel, rules->rpc).error_code();
      EXPECT_EQ(code == Code::PERMISSION_DENIED, role < rules->role) << rules->rpc;
      EXPECT_NE(code, Code::UNIMPLEMENTED) << rules->rpc;
    }
  }
}

TEST_F(NetworkServerTest, AViewerMayLookAndEveryAttemptAtMoreIsNoted) {
  ASSERT_TRUE(Start(As(HolderKind::kOperator), "web").ok());
  const Stub viewer = As(HolderKind::kViewer);
  EXPECT_TRUE(Status(viewer).ok());
  pb::ListResponse list;
  EXPECT_TRUE(Ask(viewer, &pb::Control::Stub::List, pb::ListRequest(), list).ok());

  const grpc::Status start = Start(viewer, "mine");
  EXPECT_EQ(start.error_code(), Code::PERMISSION_DENIED);
  EXPECT_THAT(start.error_message(), HasSubstr("only operators may start"));
  EXPECT_EQ(Stop(viewer, "web").error_code(), Code::PERMISSION_DENIED);
  pb::StartResponse armed;
  EXPECT_EQ(Ask(viewer, &pb::Control::Stub::Arm, pb::StartRequest(), armed).error_code(),
            Code::PERMISSION_DENIED);
  pb::BeginResponse begun;
  EXPECT_EQ(Ask(viewer, &pb::Control::Stub::Begin, pb::BeginRequest(), begun).error_code(),
            Code::PERMISSION_DENIED);
  pb::SnapshotResponse snapshot;
  EXPECT_EQ(Ask(viewer, &pb::Control::Stub::Snapshot, pb::SnapshotRequest(), snapshot).error_code(),
            Code::PERMISSION_DENIED);
  pb::FilesResponse files;
  EXPECT_EQ(Ask(viewer, &pb::Control::Stub::Files, pb::FilesRequest(), files).error_code(),
            Code::PERMISSION_DENIED);
  pb::RemoveResponse removed;
  EXPECT_EQ(Ask(viewer, &pb::Control::Stub::Remove, pb::RemoveRequest(), removed).error_code(),
            Code::PERMISSION_DENIED);
  std::string data;
  std::string checksum;
  EXPECT_EQ(Fetch(viewer, "web", "session.pb", 0, data, checksum).error_code(),
            Code::PERMISSION_DENIED);
  EXPECT_EQ(sessions_->running(), 1u);
  for (const char* action :
       {"start", "stop", "arm", "begin", "snapshot", "collect", "remove", "fetch"}) {
    const std::string line = std::string(R"("action":")") + action + '"';
    EXPECT_THAT(Audit(), HasSubstr(line)) << action;
  }
  EXPECT_THAT(Audit(), HasSubstr(R"("result":"refused")"));
}

TEST_F(NetworkServerTest, WhatAControllerArmedThatWentAwayMeanwhileIsDropped) {
  std::promise<void> attaching;
  std::promise<void> gone;
  fakes_.before_start = [&](const RecordingOptions& options) {
    if (options.name != "web") return;
    attaching.set_value();
    gone.get_future().wait();
  };
  const Stub stub = As(HolderKind::kOperator);
  grpc::ClientContext context;
  std::thread controller([&] {
    pb::StartRequest request;
    request.set_name("web");
    pb::StartResponse response;
    EXPECT_EQ(stub->Arm(&context, request, &response).error_code(), Code::CANCELLED);
  });
  attaching.get_future().wait();
  context.TryCancel();
  controller.join();
  EXPECT_TRUE(Start(stub, "other").ok());  // by now the server has read the cancellation, too
  gone.set_value();
  while (Audit().find(R"("action":"arm","session":"web","result":"failed")") == std::string::npos) {
  }
  EXPECT_TRUE(Start(stub, "web-again").ok());
  EXPECT_EQ(sessions_->running(), 2u) << "the armed one is none of them";
  EXPECT_EQ(fakes_.controls("web").stops(), 1);
}

TEST_F(NetworkServerTest, ACertificateWithoutARoleMayAskForTheClockOnly) {
  const Stub node = As(HolderKind::kNode);
  const uint64_t before_ns = MonotonicNowNs();
  pb::ClockResponse clock;
  EXPECT_TRUE(Clock(node, clock).ok());
  EXPECT_GE(clock.monotonic_ns(), before_ns);
  EXPECT_LE(clock.monotonic_ns(), MonotonicNowNs());
  EXPECT_NE(clock.boot_id(), "");
  EXPECT_EQ(Status(node).error_code(), Code::PERMISSION_DENIED);
  EXPECT_EQ(Start(node, "web").error_code(), Code::PERMISSION_DENIED);
}

TEST_F(NetworkServerTest, StrangersAndExpiredOnesGetNowhere) {
  const TestAuthority stranger(directory_.path(), "stranger-");
  TlsIdentity wrong_authority = Contents(stranger.Issue(HolderKind::kOperator, "mallory"));
  wrong_authority.authority_pem = authority_.pair().certificate;  // it believes our server
  const TlsIdentity expired = Contents(authority_.Issue(HolderKind::kOperator, "old", LongPast()));
  TlsIdentity without = Contents(authority_.Issue(HolderKind::kOperator, "nobody"));
  without.certificate_pem.clear();
  without.key_pem.clear();
  for (const TlsIdentity* identity :
       std::initializer_list<const TlsIdentity*>{&wrong_authority, &expired, &without}) {
    pb::ClockResponse clock;
    EXPECT_EQ(Clock(As(*identity), clock).error_code(), Code::UNAVAILABLE);
    EXPECT_EQ(Start(As(*identity), "web").error_code(), Code::UNAVAILABLE);
  }
  EXPECT_EQ(sessions_->running(), 0u);
  EXPECT_TRUE(Start(As(HolderKind::kOperator), "web").ok()) << "others are still served";
}

TEST_F(NetworkServerTest, AClientRefusesAServerThatIsNotTheOne) {
  TlsIdentity identity = Contents(authority_.Issue(HolderKind::kOperator, "alice"));
  const TestAuthority stranger(directory_.path(), "stranger-");
  identity.authority_pem = stranger.pair().certificate;
  EXPECT_EQ(Status(As(identity)).error_code(), Code::UNAVAILABLE);
}

TEST_F(NetworkServerTest, NothingIsServedWithoutTls) {
  const Stub stub = pb::Control::NewStub(
      grpc::CreateChannel(address_.text(), grpc::InsecureChannelCredentials()));
  EXPECT_EQ(Status(stub).error_code(), Code::UNAVAILABLE);
  EXPECT_EQ(Start(stub, "web").error_code(), Code::UNAVAILABLE);
}

TEST_F(NetworkServerTest, GarbageIsCutOffAndOthersAreServed) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const FileDescriptor connection = Connect();
    std::string garbage(1 + random() % 5000, '\0');
    for (char& byte : garbage) byte = static_cast<char>(random());
    if (i % 2 == 0) garbage.insert(0, "\x16\x03\x01\x02", 4);  // begins as TLS does
    send(connection.number(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    shutdown(connection.number(), SHUT_WR);
    char answer[512];
    while (recv(connection.number(), answer, sizeof(answer), 0) > 0) {
    }
  }
  EXPECT_TRUE(Status(As(HolderKind::kViewer)).ok());
}

// A raw TLS connection of a good operator's, with at most this version.
struct RawTls {
  RawTls(const FileDescriptor& socket, const TlsFiles& files, int max_version)
      : context(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_max_proto_version(context, max_version);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_use_certificate_file(context, files.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM);
    const unsigned char h2[] = {2, 'h', '2'};
    SSL_CTX_set_alpn_protos(context, h2, sizeof(h2));
    ssl = SSL_new(context);
    SSL_set_fd(ssl, socket.number());
    connected = SSL_connect(ssl) == 1;
  }
  ~RawTls() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
  SSL_CTX* context;
  SSL* ssl;
  bool connected;
};

TEST_F(NetworkServerTest, OldTlsIsRefused) {
  const TlsFiles files = authority_.Issue(HolderKind::kOperator, "alice");
  for (const auto& [version, accepted] :
       {std::pair(TLS1_VERSION, false), std::pair(TLS1_1_VERSION, false),
        std::pair(TLS1_2_VERSION, true), std::pair(TLS1_3_VERSION, true)}) {
    const FileDescriptor connection = Connect();
    const RawTls tls(connection, files, version);
    EXPECT_EQ(tls.connected, accepted) << version;
    if (tls.connected) {
      EXPECT_EQ(SSL_version(tls.ssl), version);
    }
  }
}

TEST_F(NetworkServerTest, GarbageOfAnAuthenticatedClientIsCutOff) {
  const TlsFiles files = authority_.Issue(HolderKind::kOperator, "alice");
  std::mt19937 random(2);
  for (int i = 0; i < 30; ++i) {
    const FileDescriptor connection = Connect();
    const RawTls tls(connection, files, TLS1_3_VERSION);
    ASSERT_TRUE(tls.connected);
    std::string garbage = i % 2 == 0 ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" : "";
    const size_t begin = garbage.size();
    garbage.resize(begin + 1 + random() % 3000);
    for (size_t k = begin; k < garbage.size(); ++k) garbage[k] = static_cast<char>(random());
    SSL_write(tls.ssl, garbage.data(), static_cast<int>(garbage.size()));
    shutdown(connection.number(), SHUT_WR);
    char answer[512];
    while (SSL_read(tls.ssl, answer, sizeof(answer)) > 0) {
    }
  }
  EXPECT_TRUE(Status(As(HolderKind::kViewer)).ok());
}

TEST_F(NetworkServerTest, MessagesThatAreNoMessagesAreErrors) {
  const auto channel =
      MutualTlsChannel(address_, Contents(authority_.Issue(HolderKind::kOperator, "alice")));
  std::vector<const char*> names = {"Nonsense"};
  for (const RpcRules* rules : kRpcs) names.push_back(rules->rpc);
  std::mt19937 random(3);
  for (const char* name : names) {
    for (int i = 0; i < 20; ++i) {
      std::string bytes(random() % 200, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      const grpc::Status status = Call(channel, name, bytes);
      EXPECT_NE(status.error_code(), Code::DEADLINE_EXCEEDED) << name;
      EXPECT_NE(status.error_code(), Code::UNAVAILABLE) << name;
    }
  }
  EXPECT_TRUE(Status(As(HolderKind::kViewer)).ok());
}

TEST_F(NetworkServerTest, OversizedRequestsAreRefused) {
  const Stub stub = As(HolderKind::kOperator);
  EXPECT_EQ(Start(stub, std::string(1 << 20, 'x')).error_code(), Code::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Start(stub, std::string(60'000, 'x')).error_code(), Code::INVALID_ARGUMENT);
  EXPECT_LT(Audit().size(), 2000u);
}

TEST_F(NetworkServerTest, NoClientExceedsTheLimits) {
  const Stub stub = As(HolderKind::kOperator);
  pb::StartRequest request;
  request.set_name("web");
  request.set_max_bytes(2 << 20);
  request.set_require(true);
  pb::StartResponse response;
  const grpc::Status status = Ask(stub, &pb::Control::Stub::Start, request, response);
  EXPECT_EQ(status.error_code(), Code::OUT_OF_RANGE);
  EXPECT_THAT(Audit(),
              HasSubstr(R"("result":"failed","error":"--max-size 2 MiB is beyond this node)"));
  // Without that it is cut to them, and told so.
  request.set_require(false);
  ASSERT_TRUE(Ask(stub, &pb::Control::Stub::Start, request, response).ok());
  EXPECT_EQ(response.session().max_bytes(), uint64_t{1} << 20);
  EXPECT_EQ(response.cut_size(), 1);
}

// All at once, and each takes as long as attaching may. As many begin as the node allows, and the
// others hear the reason. A caller that only looks does not wait behind them.
TEST_F(NetworkServerTest, OfFiftySessionsAskedForAtOnceAsManyRunAsTheNodeAllows) {
  constexpr int kAsked = 50;
  const size_t allowed = SessionLimits{}.max_sessions;
  std::promise<void> looked;
  std::shared_future<void> attached = looked.get_future().share();
  std::atomic<size_t> attaching = 0;
  fakes_.before_start = [&](const RecordingOptions&) {
    ++attaching;
    attached.wait();
  };
  const Stub stub = As(HolderKind::kOperator);
  std::vector<grpc::Status> answers(kAsked);
  std::vector<std::thread> controllers;
  std::atomic<size_t> refused = 0;
  controllers.reserve(kAsked);
  for (int i = 0; i < kAsked; ++i) {
    controllers.emplace_back([&, i] {
      answers[i] = Start(stub, "web" + std::to_string(i), 4096);
      if (!answers[i].ok()) ++refused;
    });
  }
  while (attaching < allowed || refused < kAsked - allowed) std::this_thread::yield();
  EXPECT_TRUE(Status(As(HolderKind::kViewer)).ok());
  looked.set_value();
  for (std::thread& controller : controllers) controller.join();
  EXPECT_EQ(sessions_->running(), allowed);
  size_t running = 0;
  for (const grpc::Status& answer : answers) {
    running += answer.ok() ? 1 : 0;
    if (answer.ok()) continue;
    EXPECT_EQ(answer.error_code(), Code::RESOURCE_EXHAUSTED);
    EXPECT_THAT(answer.error_message(), HasSubstr("more this daemon does not allow"));
  }
  EXPECT_EQ(running, allowed);
}

TEST_F(NetworkServerTest, ConnectionsBeyondTheLimitAreClosedAtOnce) {
  Serve({.max_connections = 2});
  const FileDescriptor first = Connect();
  const FileDescriptor second = Connect();
  const FileDescriptor third = Connect();
  char byte = 0;
  EXPECT_LE(recv(third.number(), &byte, 1, 0), 0) << "closed; the others wait for their handshake";
}

TEST_F(NetworkServerTest, TheListsOfASiteCountAloneWhereThereAreAny) {
  Serve({.roles = {.operators = {"CN:alice"}}});
  const TlsIdentity alice = Contents(authority_.Issue(HolderKind::kViewer, "alice"));
  EXPECT_TRUE(Start(As(alice), "web").ok());
  const TlsIdentity bob = Contents(authority_.Issue(HolderKind::kOperator, "bob"));
  EXPECT_EQ(Start(As(bob), "web2").error_code(), Code::PERMISSION_DENIED);
}

TEST_F(NetworkServerTest, AFinishedSessionsFilesArriveWholeAndFromTheMiddle) {
  const Stub stub = As(HolderKind::kOperator);
  ASSERT_TRUE(Start(stub, "web").ok());
  std::string data;
  std::string checksum;
  EXPECT_EQ(Fetch(stub, "web", "session.pb", 0, data, checksum).error_code(),
            Code::FAILED_PRECONDITION);
  ASSERT_TRUE(Stop(stub, "web").ok());
  std::string content(3'500'000, '\0');
  std::mt19937 random(4);
  for (char& byte : content) byte = static_cast<char>(random());
  std::ofstream(directory_.path() + "/state/sessions/web/cpu-000.trace") << content;

  ASSERT_TRUE(Fetch(stub, "web", "cpu-000.trace", 0, data, checksum).ok());
  EXPECT_EQ(data, content);
  EXPECT_EQ(checksum.size(), 16u);
  std::string rest;
  std::string again;
  ASSERT_TRUE(Fetch(stub, "web", "cpu-000.trace", 1'234'567, rest, again).ok());
  EXPECT_EQ(rest, content.substr(1'234'567));
  EXPECT_EQ(again, checksum) << "of the whole file";
  EXPECT_EQ(Fetch(stub, "web", "cpu-000.trace", 4'000'000, rest, again).error_code(),
            Code::OUT_OF_RANGE);
  for (const char* file : {"../../lock", "/etc/shadow", "", "..", "none"}) {
    EXPECT_FALSE(Fetch(stub, "web", file, 0, rest, again).ok()) << file;
  }
}

}  // namespace
}  // namespace gordian
