#include "cli/cluster/node_client.h"

#include <grpcpp/client_context.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recorder/control/remote_clock.h"

namespace gordian {
namespace {

// A node that does not answer is known soon; what takes its time has more.
constexpr auto kLookTimeout = std::chrono::seconds(10);
constexpr auto kArmTimeout = std::chrono::seconds(60);
constexpr auto kStopTimeout = std::chrono::seconds(300);
constexpr auto kSnapshotTimeout = std::chrono::seconds(1800);
constexpr auto kClockTimeout = std::chrono::milliseconds(2000);
// A connect may fail for a moment: a daemon begins just now, a switch learns its way, and gRPC
// itself has taken another call's error for its own (grpc/grpc#35064). A start that leaves a node
// out cannot be mended later, so that it tries longer.
constexpr auto kConnectPatience = std::chrono::seconds(1);
constexpr auto kArmConnectPatience = std::chrono::seconds(5);

bool IsAboutCertificates(const std::string& message) {
  return absl::StrContains(message, "andshake") || absl::StrContains(message, "Socket closed") ||
         absl::StrContains(message, "SSL") || absl::StrContains(message, "eset by peer");
}

// Then the node has heard nothing of the call, and it can be made again, whatever it asks.
bool NeverConnected(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         absl::StrContains(status.error_message(), "ailed to connect") &&
         !IsAboutCertificates(status.error_message());
}

}  // namespace

NodeClient::NodeClient(Node node, const TlsIdentity& identity)
    : node_(std::move(node)),
      channel_(MutualTlsChannel(node_.address, identity)),
      stub_(pb::Control::NewStub(channel_)) {}

absl::Status NodeClient::Explain(const grpc::Status& status) const {
  const std::string& message = status.error_message();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::DeadlineExceededError(
        absl::StrCat(node_.address.text(), " did not answer in time"));
  }
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE ||
      absl::StrContains(message, "gordiand")) {
    return {static_cast<absl::StatusCode>(status.error_code()), message};
  }
  // gRPC's own words: they tell what happened to the connection, at length.
  if (absl::StrContains(message, "Connection refused")) {
    return absl::UnavailableError(
        absl::StrCat("nobody listens at ", node_.address.text(), "; is gordiand's network on?"));
  }
  if (IsAboutCertificates(message)) {
    return absl::UnavailableError(
        absl::StrCat(node_.address.text(),
                     " and this machine do not take each other's certificates, or the connection "
                     "was cut; the authority, the dates and the node's name must fit"));
  }
  return absl::UnavailableError(
      absl::StrCat("cannot reach ", node_.address.text(), ": ", message.substr(0, 200)));
}

template <typename Response, typename Call, typename Request>
absl::StatusOr<Response> NodeClient::Ask(Call call, const Request& request,
                                         std::chrono::seconds timeout,
                                         std::chrono::seconds connect_patience) {
  const auto begin = std::chrono::system_clock::now();
  Response response;
  const auto try_once = [&] {
    grpc::ClientContext context;
    context.set_deadline(begin + timeout);
    response.Clear();
    return ((*stub_).*call)(&context, request, &response);
  };
  grpc::Status status = try_once();
  if (NeverConnected(status)) {
    // The channel goes on trying, more and more rarely. Whatever comes of it, the call tells.
    channel_->WaitForConnected(begin + connect_patience);
    status = try_once();
  }
  if (!status.ok()) return Explain(status);
  return response;
}

absl::StatusOr<pb::StartResponse> NodeClient::Arm(const pb::StartRequest& request) {
  return Ask<pb::StartResponse>(&pb::Control::Stub::Arm, request, kArmTimeout, kArmConnectPatience);
}

absl::StatusOr<pb::BeginResponse> NodeClient::Begin(const pb::BeginRequest& request) {
  return Ask<pb::BeginResponse>(&pb::Control::Stub::Begin, request, kLookTimeout, kConnectPatience);
}

absl::StatusOr<pb::StopResponse> NodeClient::Stop(const std::string& name) {
  pb::StopRequest request;
  request.set_name(name);
  return Ask<pb::StopResponse>(&pb::Control::Stub::Stop, request, kStopTimeout, kConnectPatience);
}

absl::StatusOr<pb::SnapshotResponse> NodeClient::Snapshot(const pb::SnapshotRequest& request) {
  return Ask<pb::SnapshotResponse>(&pb::Control::Stub::Snapshot, request, kSnapshotTimeout,
                                   kConnectPatience);
}

absl::StatusOr<pb::StatusResponse> NodeClient::Status(const std::string& name) {
  pb::StatusRequest request;
  request.set_name(name);
  return Ask<pb::StatusResponse>(&pb::Control::Stub::Status, request, kLookTimeout,
                                 kConnectPatience);
}

absl::StatusOr<pb::ListResponse> NodeClient::List() {
  return Ask<pb::ListResponse>(&pb::Control::Stub::List, pb::ListRequest(), kLookTimeout,
                               kConnectPatience);
}

absl::StatusOr<pb::FilesResponse> NodeClient::Files(const std::string& name) {
  pb::FilesRequest request;
  request.set_name(name);
  return Ask<pb::FilesResponse>(&pb::Control::Stub::Files, request, kLookTimeout, kConnectPatience);
}

absl::StatusOr<pb::RemoveResponse> NodeClient::Remove(const std::string& name) {
  pb::RemoveRequest request;
  request.set_name(name);
  return Ask<pb::RemoveResponse>(&pb::Control::Stub::Remove, request, kStopTimeout,
                                 kConnectPatience);
}

absl::StatusOr<MeasuredClock> NodeClient::MeasureClock(int exchanges) {
  absl::StatusOr<MeasuredClock> clock = MeasureClockOver(channel_, exchanges, kClockTimeout);
  if (clock.ok()) return clock;
  const absl::Status& failure = clock.status();
  return Explain({static_cast<grpc::StatusCode>(failure.code()), std::string(failure.message())});
}

std::unique_ptr<grpc::ClientReader<pb::FetchPart>> NodeClient::Fetch(
    grpc::ClientContext& context, const pb::FetchRequest& request) {
  return stub_->Fetch(&context, request);
}

}  // namespace gordian
