// SPDX-License-Identifier: Apache-2.0
// A gRPC server without a port of its own: it serves the connections that its owner has accepted.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace gordian {

struct AcceptedServerLimits {
  std::string name;  // of those who share the threads
  int max_threads = 0;
  int idle_connection_timeout_ms = 0;
  std::vector<std::pair<std::string, int>> others;  // by gRPC's names
};

class AcceptedServer {
 public:
  AcceptedServer(std::unique_ptr<grpc::Service> service, const AcceptedServerLimits& limits,
                 const std::shared_ptr<grpc::ServerCredentials>& credentials);
  // Gives calls under way some time to end, and cancels the rest.
  ~AcceptedServer();
  AcceptedServer(const AcceptedServer&) = delete;
  AcceptedServer& operator=(const AcceptedServer&) = delete;

  // False if gRPC could not start: out of descriptors or memory, or TLS took no certificate.
  bool started() const { return server_ != nullptr; }
  void Serve(FileDescriptor connection);

 private:
  const std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace gordian
