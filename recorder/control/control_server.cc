// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/control_server.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/control/accepted_server.h"
#include "recorder/control/control_service.h"
#include "recorder/control/peer.h"
#include "recorder/control/server_limits.h"

namespace gordian {
namespace {

constexpr int kMaxThreadsPerRole = 24;  // followers and collectors hold one each
constexpr int kIdleLocalConnectionTimeoutMs = 60'000;
// So that no crowd of viewers takes the descriptors of operators and recordings. Idle ones are
// closed after a minute.
constexpr size_t kMaxViewerConnections = 64;

// gRPC does not tell a handler its peer: the audit log has a line for each connection.
Caller Local(Role role) {
  return {.role = role, .name = absl::StrCat("local ", RoleText(role)), .address = "unix"};
}

std::string OperatorsRule(const std::string& group) {
  return absl::StrCat("only root and members of the group ", group,
                      " may %s sessions; use sudo, or join: sudo adduser USER ", group,
                      ", and log in again");
}

std::unique_ptr<AcceptedServer> RoleServer(SessionManager& sessions, Role role,
                                           const std::string& operators_group, AuditLog* audit) {
  return std::make_unique<AcceptedServer>(
      MakeControlService(sessions,
                         {.caller = [role](const grpc::ServerContext&) { return Local(role); },
                          .operators_rule = OperatorsRule(operators_group),
                          .audit = audit}),
      AcceptedServerLimits{.name = role == Role::kOperator ? "operators" : "viewers",
                           .max_threads = kMaxThreadsPerRole,
                           .idle_connection_timeout_ms = kIdleLocalConnectionTimeoutMs},
      grpc::InsecureServerCredentials());
}

}  // namespace

ControlServer::ControlServer(UnixListener listener, SessionManager& sessions,
                             std::string operators_group, AuditLog* audit)
    : operators_group_(std::move(operators_group)),
      audit_(audit),
      listener_(std::move(listener)),
      viewer_connections_(kMaxViewerConnections),
      stop_event_(eventfd(0, EFD_CLOEXEC)),
      operators_(RoleServer(sessions, Role::kOperator, operators_group_, audit)),
      viewers_(RoleServer(sessions, Role::kViewer, operators_group_, audit)) {}

absl::StatusOr<std::unique_ptr<ControlServer>> ControlServer::Start(UnixListener listener,
                                                                    SessionManager& sessions,
                                                                    std::string operators_group,
                                                                    AuditLog* audit) {
  std::unique_ptr<ControlServer> server(
      new ControlServer(std::move(listener), sessions, std::move(operators_group), audit));
  if (!server->stop_event_.valid() || !server->operators_->started() ||
      !server->viewers_->started()) {
    return absl::InternalError("cannot start the control server: out of descriptors or memory");
  }
  server->acceptor_ = std::thread(&ControlServer::AcceptConnections, server.get());
  return server;
}

ControlServer::~ControlServer() {
  if (acceptor_.joinable()) {
    eventfd_write(stop_event_.number(), 1);
    acceptor_.join();
  }
  operators_.reset();
  viewers_.reset();
}

void ControlServer::AcceptConnections() {
  std::array<pollfd, 2> events = {
      {{listener_.number(), POLLIN, 0}, {stop_event_.number(), POLLIN, 0}}};
  while (true) {
    if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) {
      spdlog::error("control: cannot wait for connections: {}", std::strerror(errno));
      return;
    }
    if (events[1].revents != 0) return;
    if (events[0].revents == 0) continue;
    FileDescriptor connection = listener_.Accept();
    if (connection.valid()) {
      Admit(std::move(connection));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      // The connection stays in the backlog: wait a moment instead of turning in a circle.
      poll(&events[1], 1, kRetryAfterMs);
    }
  }
}

void ControlServer::Admit(FileDescriptor connection) {
  const absl::StatusOr<Peer> peer = PeerOf(connection.number());
  if (!peer.ok()) {
    const absl::string_view message = peer.status().message();
    spdlog::warn("control: {}", std::string_view(message.data(), message.size()));
    return;
  }
  const Role role = RoleOf(*peer, operators_group_);
  if (role == Role::kOperator) {
    if (audit_ != nullptr) {
      audit_->Write({.role = role,
                     .name = absl::StrCat("uid ", peer->uid),
                     .address = absl::StrCat("pid ", peer->pid)},
                    "connect", "", absl::OkStatus());
    }
    operators_->Serve(std::move(connection));
  } else if (viewer_connections_.Add(connection.number())) {
    viewers_->Serve(std::move(connection));
  } else {
    spdlog::warn("control: too many connections, one of uid {} is closed", peer->uid);
  }
}

}  // namespace gordian
