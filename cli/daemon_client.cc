#include "cli/daemon_client.h"

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "recorder/control/unix_listener.h"

namespace gordian {
namespace {

// Far longer than each takes: attaching and draining are seconds, a snapshot copies what it cannot
// link.
constexpr auto kLookTimeout = std::chrono::seconds(20);
constexpr auto kStartTimeout = std::chrono::minutes(2);
constexpr auto kStopTimeout = std::chrono::minutes(5);
constexpr auto kSnapshotTimeout = std::chrono::minutes(30);

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::DeadlineExceededError(
        "gordiand did not answer in time; see: journalctl -u gordiand");
  }
  // gRPC's own words (Socket closed, Connection reset by peer): the daemon is gone.
  const std::string& message = status.error_message();
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE &&
      (message == "Socket closed" || message.find("reset") != std::string::npos)) {
    return absl::UnavailableError(
        "gordiand ended before it answered; see: journalctl -u gordiand -e");
  }
  return {static_cast<absl::StatusCode>(status.error_code()), message};
}

template <typename Response, typename Request, typename Call, typename Timeout>
absl::StatusOr<Response> Ask(pb::Control::Stub& stub, Call call, const Request& request,
                             Timeout timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  Response response;
  const grpc::Status status = (stub.*call)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status);
  return response;
}

absl::Status ConnectError(const std::string& path, const absl::Status& error) {
  if (absl::IsNotFound(error) || absl::IsUnavailable(error)) {
    return absl::UnavailableError(
        absl::StrCat("no daemon at ", path, "; start it: systemctl start gordiand"));
  }
  return absl::Status(error.code(),
                      absl::StrCat("cannot connect to ", path, ": ", error.message()));
}

}  // namespace

void AddSocketOption(CLI::App& command, std::string& path) {
  path = kDefaultSocket;
  command.add_option("--socket", path, "Where gordiand listens")
      ->type_name("PATH")
      ->capture_default_str();
}

absl::StatusOr<DaemonClient> DaemonClient::Connect(const std::string& socket_path) {
  absl::StatusOr<FileDescriptor> connection = ConnectUnix(socket_path);
  if (!connection.ok()) return ConnectError(socket_path, connection.status());
  return DaemonClient(*std::move(connection));
}

DaemonClient::DaemonClient(FileDescriptor connection) {
  const int number = connection.Release();  // gRPC closes it
  fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);
  stub_ = pb::Control::NewStub(grpc::CreateInsecureChannelFromFd("gordiand", number));
}

absl::StatusOr<pb::StartResponse> DaemonClient::Start(const pb::StartRequest& request) {
  return Ask<pb::StartResponse>(*stub_, &pb::Control::Stub::Start, request, kStartTimeout);
}

absl::StatusOr<pb::StopResponse> DaemonClient::Stop(const pb::StopRequest& request) {
  return Ask<pb::StopResponse>(*stub_, &pb::Control::Stub::Stop, request, kStopTimeout);
}

absl::StatusOr<pb::SnapshotResponse> DaemonClient::Snapshot(const pb::SnapshotRequest& request) {
  return Ask<pb::SnapshotResponse>(*stub_, &pb::Control::Stub::Snapshot, request, kSnapshotTimeout);
}

absl::StatusOr<pb::StatusResponse> DaemonClient::Status(const pb::StatusRequest& request) {
  return Ask<pb::StatusResponse>(*stub_, &pb::Control::Stub::Status, request, kLookTimeout);
}

absl::StatusOr<pb::RemoveResponse> DaemonClient::Remove(const pb::RemoveRequest& request) {
  return Ask<pb::RemoveResponse>(*stub_, &pb::Control::Stub::Remove, request, kStopTimeout);
}

absl::StatusOr<pb::ListResponse> DaemonClient::List(const pb::ListRequest& request) {
  return Ask<pb::ListResponse>(*stub_, &pb::Control::Stub::List, request, kLookTimeout);
}

}  // namespace gordian
