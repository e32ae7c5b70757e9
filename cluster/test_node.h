// SPDX-License-Identifier: Apache-2.0
// A daemon's network server with recordings that a test writes, for tests of its clients.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/control_client.h"
#include "recorder/certificates/test_certificates.h"
#include "recorder/control/network_server.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/test_directory.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {

class TestNode {
 public:
  TestNode() {
    auto store = SessionStore::Open(directory_.path() + "/state");
    EXPECT_TRUE(store.ok()) << store.status();
    sessions_.emplace(
        *std::move(store), SessionLimits{.max_session_bytes = 1 << 20, .min_free_bytes = 0},
        SessionEnvironment{
            .start_recording =
                [this](const RecordingOptions& options) { return fakes_.Start(options); },
            .realtime_now_ns = [] { return int64_t{0}; }});
    auto audit = AuditLog::Open(directory_.path() + "/audit.log");
    EXPECT_TRUE(audit.ok()) << audit.status();
    audit_ = *std::move(audit);
  }

  // At any port the first time, at the same one after that.
  void Serve(uint64_t bytes_per_second = 0) {
    auto listener = TcpListener::Open(address_);
    ASSERT_TRUE(listener.ok()) << listener.status();
    address_ = listener->address();
    std::vector<TcpListener> listeners;
    listeners.push_back(*std::move(listener));
    NetworkServerOptions options;
    auto identity =
        LoadTlsIdentity(authority_.Issue(HolderKind::kNode, "node"), TlsPurpose::kServer);
    ASSERT_TRUE(identity.ok()) << identity.status();
    options.identity = *std::move(identity);
    options.max_collect_bytes_per_second = bytes_per_second;
    auto server = NetworkServer::Start(std::move(listeners), *sessions_, *audit_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void StopServing() { server_.reset(); }

  ControlClient Client(HolderKind kind, const std::string& name) const {
    return {{.name = "node", .address = address_}, Contents(authority_.Issue(kind, name))};
  }

  // An armed session, whose files the test writes.
  SessionWriter& Arm(const std::string& name) {
    pb::StartRequest request;
    request.set_name(name);
    const auto armed = sessions_->Arm(request);
    EXPECT_TRUE(armed.ok()) << armed.status();
    auto writer = SessionWriter::Create(Folder(name), {});
    EXPECT_TRUE(writer.ok()) << writer.status();
    writers_.push_back(*std::move(writer));
    return *writers_.back();
  }
  void Begin(const std::string& name) { EXPECT_TRUE(sessions_->Begin(name, 0).ok()); }
  std::string Folder(const std::string& name) const {
    return directory_.path() + "/state/sessions/" + name;
  }
  std::string AuditText() const { return ReadWholeFile(directory_.path() + "/audit.log"); }
  SessionManager& sessions() { return *sessions_; }
  FakeRecordings& fakes() { return fakes_; }
  const NetworkAddress& address() const { return address_; }

 private:
  TestDirectory directory_;
  const TestAuthority authority_ = TestAuthority(directory_.path());
  FakeRecordings fakes_;
  NetworkAddress address_{.host = "127.0.0.1", .port = 0};
  std::optional<SessionManager> sessions_;
  std::unique_ptr<AuditLog> audit_;
  std::vector<std::unique_ptr<SessionWriter>> writers_;
  std::unique_ptr<NetworkServer> server_;
};

}  // namespace gordian
