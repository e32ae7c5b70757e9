// SPDX-License-Identifier: Apache-2.0
// Serves the control protocol on the network, with mutual TLS and never without.
//
// Connections are accepted here, so that their number is bounded, and handed to one gRPC server
// that does the handshake. TLS is 1.2 at least. A client whose certificate does not lead to the
// authority gets no further. For each call the certificate decides the caller's rights.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/certificates/certificate.h"
#include "recorder/control/audit_log.h"
#include "recorder/control/certificate_caller.h"
#include "recorder/control/live_connections.h"
#include "recorder/control/tcp_listener.h"
#include "recorder/sessions/session_manager.h"
#include "recorder/sources/clock.h"

namespace gordian {

class AcceptedServer;

struct NetworkServerOptions {
  TlsIdentity identity;  // a server's, as LoadTlsIdentity gives it
  RoleRules roles;
  size_t max_connections = 256;
  uint64_t max_collect_bytes_per_second = 0;  // 0: no limit
  std::function<pb::ClockPair()> read_clocks = ReadClockPair;
};

class NetworkServer {
 public:
  // `sessions` and `audit` must outlive the server.
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Start(std::vector<TcpListener> listeners,
                                                              SessionManager& sessions,
                                                              AuditLog& audit,
                                                              const NetworkServerOptions& options);
  // Takes no more connections, gives calls under way some time to end, and cancels the rest.
  ~NetworkServer();
  NetworkServer(const NetworkServer&) = delete;
  NetworkServer& operator=(const NetworkServer&) = delete;

 private:
  NetworkServer(std::vector<TcpListener> listeners, SessionManager& sessions, AuditLog& audit,
                const NetworkServerOptions& options);
  void AcceptConnections();
  bool AcceptFrom(const TcpListener& listener);

  const std::vector<TcpListener> listeners_;
  LiveConnections connections_;  // the acceptor's
  FileDescriptor stop_event_;
  std::unique_ptr<AcceptedServer> server_;
  std::thread acceptor_;
};

}  // namespace gordian
