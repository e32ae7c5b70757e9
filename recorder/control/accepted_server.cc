// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/accepted_server.h"

#include <grpcpp/resource_quota.h>

#include <chrono>

#include "recorder/control/server_limits.h"

namespace gordian {

AcceptedServer::AcceptedServer(std::unique_ptr<grpc::Service> service,
                               const AcceptedServerLimits& limits,
                               const std::shared_ptr<grpc::ServerCredentials>& credentials)
    : service_(std::move(service)) {
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota(limits.name);
  quota.SetMaxThreads(limits.max_threads);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits.idle_connection_timeout_ms);
  for (const auto& [name, value] : limits.others) builder.AddChannelArgument(name, value);
  builder.RegisterService(service_.get());
  connections_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  server_ = builder.BuildAndStart();
}

AcceptedServer::~AcceptedServer() {
  if (started()) server_->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
}

void AcceptedServer::Serve(FileDescriptor connection) {
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.fd = connection.Release();  // gRPC closes it
  connections_->HandleNewConnection(&parameters);
}

}  // namespace gordian
