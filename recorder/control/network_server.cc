// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/network_server.h"

#include <grpcpp/security/server_credentials.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "recorder/control/accepted_server.h"
#include "recorder/control/control_service.h"
#include "recorder/control/server_limits.h"

namespace gordian {
namespace {

constexpr int kMaxMetadataBytes = 8 << 10;
constexpr int kMaxThreads = 32;
constexpr int kMaxStreamsPerConnection = 16;
constexpr int kIdleNetworkConnectionTimeoutMs = 300'000;
// A client whose machine vanished is forgotten after these two.
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// Controllers look more often while they wait for something.
constexpr int kShortestPingIntervalMs = 5'000;
constexpr auto kComplainEvery = std::chrono::seconds(10);

constexpr const char* kOperatorsRule =
    "this certificate is no operator's here, and only operators may %s; "
    "gordian ca issue --operator NAME makes one";

std::shared_ptr<grpc::ServerCredentials> MutualTls(const TlsIdentity& identity) {
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.authority_pem;
  options.pem_key_cert_pairs.push_back({identity.key_pem, identity.certificate_pem});
  return grpc::SslServerCredentials(options);
}

std::unique_ptr<AcceptedServer> TlsServer(SessionManager& sessions, AuditLog& audit,
                                          const NetworkServerOptions& options) {
  return std::make_unique<AcceptedServer>(
      MakeControlService(
          sessions,
          {.caller = [roles = options.roles](
                         const grpc::ServerContext& context) { return CallerOf(context, roles); },
           .operators_rule = kOperatorsRule,
           .audit = &audit,
           .max_collect_bytes_per_second = options.max_collect_bytes_per_second,
           .read_clocks = options.read_clocks}),
      AcceptedServerLimits{.name = "network",
                           .max_threads = kMaxThreads,
                           .idle_connection_timeout_ms = kIdleNetworkConnectionTimeoutMs,
                           .others = {{GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes},
                                      {GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection},
                                      {GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs},
                                      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs},
                                      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                                       kShortestPingIntervalMs}}},
      MutualTls(options.identity));
}

}  // namespace

NetworkServer::NetworkServer(std::vector<TcpListener> listeners, SessionManager& sessions,
                             AuditLog& audit, const NetworkServerOptions& options)
    : listeners_(std::move(listeners)),
      connections_(options.max_connections),
      stop_event_(eventfd(0, EFD_CLOEXEC)),
      server_(TlsServer(sessions, audit, options)) {}

absl::StatusOr<std::unique_ptr<NetworkServer>> NetworkServer::Start(
    std::vector<TcpListener> listeners, SessionManager& sessions, AuditLog& audit,
    const NetworkServerOptions& options) {
  std::unique_ptr<NetworkServer> server(
      new NetworkServer(std::move(listeners), sessions, audit, options));
  if (!server->stop_event_.valid() || !server->server_->started()) {
    return absl::InternalError(
        "cannot serve the network: TLS does not take the certificates, or out of descriptors");
  }
  server->acceptor_ = std::thread(&NetworkServer::AcceptConnections, server.get());
  return server;
}

NetworkServer::~NetworkServer() {
  if (acceptor_.joinable()) {
    eventfd_write(stop_event_.number(), 1);
    acceptor_.join();
  }
  server_.reset();
}

void NetworkServer::AcceptConnections() {
  std::vector<pollfd> events;
  events.reserve(listeners_.size() + 1);
  for (const TcpListener& listener : listeners_) events.push_back({listener.number(), POLLIN, 0});
  events.push_back({stop_event_.number(), POLLIN, 0});
  auto next_complaint = std::chrono::steady_clock::now();
  while (true) {
    if (poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      spdlog::error("network: cannot wait for connections: {}", std::strerror(errno));
      return;
    }
    if (events.back().revents != 0) return;
    bool refused = false;
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if (events[i].revents != 0 && !AcceptFrom(listeners_[i])) refused = true;
    }
    if (!refused) continue;
    if (std::chrono::steady_clock::now() >= next_complaint) {
      spdlog::warn("network: too many connections, some are closed");
      next_complaint = std::chrono::steady_clock::now() + kComplainEvery;
    }
    // A flood of connections must not take a whole CPU, and without descriptors this must not turn
    // in a circle.
    poll(&events.back(), 1, kRetryAfterMs);
  }
}

// False if a connection could not be served.
bool NetworkServer::AcceptFrom(const TcpListener& listener) {
  FileDescriptor connection = listener.Accept();
  if (!connection.valid()) return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
  if (!connections_.Add(connection.number())) return false;
  server_->Serve(std::move(connection));
  return true;
}

}  // namespace gordian
