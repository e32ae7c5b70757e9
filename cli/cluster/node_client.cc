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
  if (absl::StrContains(message, "andshake") || absl::StrContains(message, "Socket closed") ||
      absl::StrContains(message, "SSL") || absl::StrContains(message, "eset by peer")) {
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
                                         std::chrono::seconds timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  Response response;
  const grpc::Status status = ((*stub_).*call)(&context, request, &response);
  if (!status.ok()) return Explain(status);
  return response;
}

absl::StatusOr<pb::StartResponse> NodeClient::Arm(const pb::StartRequest& request) {
  return Ask<pb::StartResponse>(&pb::Control::Stub::Arm, request, kArmTimeout);
}

absl::StatusOr<pb::BeginResponse> NodeClient::Begin(const pb::BeginRequest& request) {
  return Ask<pb::BeginResponse>(&pb::Control::Stub::Begin, request, kLookTimeout);
}

absl::StatusOr<pb::StopResponse> NodeClient::Stop(const std::string& name) {
  pb::StopRequest request;
  request.set_name(name);
  return Ask<pb::StopResponse>(&pb::Control::Stub::Stop, request, kStopTimeout);
}

absl::StatusOr<pb::SnapshotResponse> NodeClient::Snapshot(const pb::SnapshotRequest& request) {
  return Ask<pb::SnapshotResponse>(&pb::Control::Stub::Snapshot, request, kSnapshotTimeout);
}

absl::StatusOr<pb::StatusResponse> NodeClient::Status(const std::string& name) {
  pb::StatusRequest request;
  request.set_name(name);
  return Ask<pb::StatusResponse>(&pb::Control::Stub::Status, request, kLookTimeout);
}

absl::StatusOr<pb::ListResponse> NodeClient::List() {
  return Ask<pb::ListResponse>(&pb::Control::Stub::List, pb::ListRequest(), kLookTimeout);
}

absl::StatusOr<pb::FilesResponse> NodeClient::Files(const std::string& name) {
  pb::FilesRequest request;
  request.set_name(name);
  return Ask<pb::FilesResponse>(&pb::Control::Stub::Files, request, kLookTimeout);
}

absl::StatusOr<pb::RemoveResponse> NodeClient::Remove(const std::string& name) {
  pb::RemoveRequest request;
  request.set_name(name);
  return Ask<pb::RemoveResponse>(&pb::Control::Stub::Remove, request, kStopTimeout);
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
