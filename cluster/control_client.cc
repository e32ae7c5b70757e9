// SPDX-License-Identifier: Apache-2.0
#include "cluster/control_client.h"

#include <fcntl.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel_posix.h>

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recorder/control/remote_clock.h"
#include "recorder/control/unix_listener.h"

namespace gordian {
namespace {

absl::Status ConnectError(const std::string& path, const absl::Status& error) {
  if (absl::IsNotFound(error) || absl::IsUnavailable(error)) {
    return absl::UnavailableError(
        absl::StrCat("no daemon at ", path, "; start it: systemctl start gordiand"));
  }
  return absl::Status(error.code(),
                      absl::StrCat("cannot connect to ", path, ": ", error.message()));
}

bool IsAboutCertificates(const std::string& message) {
  return absl::StrContains(message, "andshake") || absl::StrContains(message, "Socket closed") ||
         absl::StrContains(message, "SSL") || absl::StrContains(message, "eset by peer") ||
         absl::StrContains(message, "roken pipe");
}

// Then the node has heard nothing of the call, and any call can be made again.
bool NeverConnected(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         absl::StrContains(status.error_message(), "ailed to connect") &&
         !IsAboutCertificates(status.error_message());
}

absl::Status AsItIs(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

absl::Status ExplainLocal(const grpc::Status& status) {
  const std::string& message = status.error_message();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::DeadlineExceededError(
        "gordiand did not answer in time; see: journalctl -u gordiand");
  }
  // A daemon answers with this code of no fault of its own: gRPC lost the connection. Its words for
  // that are many (Socket closed, Broken pipe, GOAWAY received).
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return absl::UnavailableError(absl::StrCat("gordiand ended before it answered (",
                                               message.substr(0, 200),
                                               "); see: journalctl -u gordiand -e"));
  }
  return AsItIs(status);
}

absl::Status ExplainRemote(const grpc::Status& status, const std::string& address) {
  const std::string& message = status.error_message();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::DeadlineExceededError(absl::StrCat(address, " did not answer in time"));
  }
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE ||
      absl::StrContains(message, "gordiand")) {
    return AsItIs(status);
  }
  // gRPC's own words: a long account of the connection's failure.
  if (absl::StrContains(message, "Connection refused")) {
    return absl::UnavailableError(
        absl::StrCat("no daemon listens at ", address, "; is gordiand's network on?"));
  }
  if (IsAboutCertificates(message)) {
    return absl::UnavailableError(
        absl::StrCat(address,
                     " and this machine do not take each other's certificates, or the connection "
                     "was cut; the authority, the dates and the node's name must fit"));
  }
  return absl::UnavailableError(
      absl::StrCat("cannot reach ", address, ": ", message.substr(0, 200)));
}

}  // namespace

absl::StatusOr<ControlClient> ControlClient::Connect(const std::string& socket_path) {
  absl::StatusOr<FileDescriptor> connection = ConnectUnix(socket_path);
  if (!connection.ok()) return ConnectError(socket_path, connection.status());
  const int number = connection->Release();  // gRPC closes it
  fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);
  return ControlClient(Node(), grpc::CreateInsecureChannelFromFd("gordiand", number));
}

ControlClient::ControlClient(Node node, const TlsIdentity& identity)
    : node_(std::move(node)),
      channel_(MutualTlsChannel(node_.address, identity)),
      stub_(pb::Control::NewStub(channel_)) {}

ControlClient::ControlClient(Node node, std::shared_ptr<grpc::Channel> channel)
    : node_(std::move(node)), channel_(std::move(channel)), stub_(pb::Control::NewStub(channel_)) {}

absl::Status ControlClient::Explain(const grpc::Status& status) const {
  return is_local() ? ExplainLocal(status) : ExplainRemote(status, node_.address.text());
}

absl::Status ControlClient::Call(
    const RpcRules& rules, const std::function<grpc::Status(grpc::ClientContext&)>& call_once) {
  const auto begin = std::chrono::system_clock::now();
  const auto try_once = [&] {
    grpc::ClientContext context;
    context.set_deadline(begin + rules.timeout);
    return call_once(context);
  };
  grpc::Status status = try_once();
  // A connect may fail for a moment: a daemon begins just now, a switch learns its way, and gRPC
  // itself has taken another call's error for its own (grpc/grpc#35064).
  if (!is_local() && NeverConnected(status)) {
    // The channel goes on trying, more and more rarely. The call tells the result.
    channel_->WaitForConnected(begin + rules.connect_patience);
    status = try_once();
  }
  return status.ok() ? absl::OkStatus() : Explain(status);
}

void ControlClient::Reconnect(std::chrono::milliseconds longest) {
  channel_->WaitForConnected(std::chrono::system_clock::now() + longest);
}

absl::StatusOr<MeasuredClock> ControlClient::MeasureClock(int exchanges) {
  absl::StatusOr<MeasuredClock> clock = MeasureClockOver(channel_, exchanges, rpc::kClock.timeout);
  if (clock.ok()) return clock;
  const absl::Status& failure = clock.status();
  return Explain({static_cast<grpc::StatusCode>(failure.code()), std::string(failure.message())});
}

std::unique_ptr<grpc::ClientReader<pb::FetchPart>> ControlClient::Fetch(
    grpc::ClientContext& context, const pb::FetchRequest& request) {
  return stub_->Fetch(&context, request);
}

std::unique_ptr<grpc::ClientAsyncReader<pb::FollowPart>> ControlClient::Follow(
    grpc::ClientContext& context, const pb::FollowRequest& request, grpc::CompletionQueue& queue,
    void* tag) {
  return stub_->AsyncFollow(&context, request, &queue, tag);
}

}  // namespace gordian
