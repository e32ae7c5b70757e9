// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/remote_clock.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>

#include "schema/control.grpc.pb.h"

namespace gordian {

std::shared_ptr<grpc::Channel> MutualTlsChannel(const NetworkAddress& address,
                                                const TlsIdentity& identity) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = identity.authority_pem;
  options.pem_private_key = identity.key_pem;
  options.pem_cert_chain = identity.certificate_pem;
  grpc::ChannelArguments arguments;
  // Connections are not shared among channels, nor is a proxy of the environment asked.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // While a call waits: a node that vanished is noticed.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // Below the patience of each call (rpcs.h): a node that is back answers the next call. With five
  // seconds, a page that was told to ask a node again told that it does not listen.
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  return grpc::CreateCustomChannel("dns:///" + address.text(), grpc::SslCredentials(options),
                                   arguments);
}

absl::StatusOr<RemoteClock> AskClock(const std::shared_ptr<grpc::Channel>& channel,
                                     std::chrono::milliseconds timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  pb::ClockResponse response;
  const grpc::Status status =
      pb::Control::NewStub(channel)->Clock(&context, pb::ClockRequest(), &response);
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  return RemoteClock{.monotonic_ns = response.monotonic_ns(), .boot_id = response.boot_id()};
}

absl::StatusOr<MeasuredClock> MeasureClockOver(const std::shared_ptr<grpc::Channel>& channel,
                                               int exchanges, std::chrono::milliseconds timeout,
                                               const std::function<uint64_t()>& now_ns) {
  return MeasureClock([&] { return AskClock(channel, timeout); }, exchanges, now_ns);
}

}  // namespace gordian
