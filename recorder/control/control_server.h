// SPDX-License-Identifier: Apache-2.0
// Serves the control protocol on a unix socket.
//
// gRPC does not tell a handler the peer of a unix socket. So connections are accepted here, the
// kernel is asked for the peer's uid and groups, and each connection is handed to one of two gRPC
// servers: the operators' or the viewers'. A handler's role is that of the server it belongs to; a
// connection cannot change it.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "recorder/control/audit_log.h"
#include "recorder/control/live_connections.h"
#include "recorder/control/unix_listener.h"
#include "recorder/sessions/session_manager.h"

namespace gordian {

class AcceptedServer;

class ControlServer {
 public:
  // `sessions`, and `audit` if there is one, must outlive the server.
  static absl::StatusOr<std::unique_ptr<ControlServer>> Start(UnixListener listener,
                                                              SessionManager& sessions,
                                                              std::string operators_group,
                                                              AuditLog* audit = nullptr);
  // Takes no more connections, gives calls under way some time to end, and cancels the rest.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  ControlServer(UnixListener listener, SessionManager& sessions, std::string operators_group,
                AuditLog* audit);
  void AcceptConnections();
  void Admit(FileDescriptor connection);

  const std::string operators_group_;
  AuditLog* const audit_;
  UnixListener listener_;
  LiveConnections viewer_connections_;  // the acceptor's
  FileDescriptor stop_event_;
  std::unique_ptr<AcceptedServer> operators_;
  std::unique_ptr<AcceptedServer> viewers_;
  std::thread acceptor_;
};

}  // namespace gordian
