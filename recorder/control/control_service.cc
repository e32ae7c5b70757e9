#include "recorder/control/control_service.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  // The two sets of codes are the same.
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

void MoveTo(std::vector<pb::SessionStatus> sessions,
            google::protobuf::RepeatedPtrField<pb::SessionStatus>& field) {
  for (pb::SessionStatus& session : sessions) *field.Add() = std::move(session);
}

constexpr size_t kMaxLoggedName = 64;

// Logs what an operator did, or why it failed. A name that was refused may be anything.
template <typename Result>
void Log(const char* verb, const std::string& name, const absl::StatusOr<Result>& result) {
  if (result.ok()) {
    spdlog::info("{} {}", verb, name);
  } else {
    const absl::string_view message = result.status().message();
    spdlog::warn("{} {} failed: {}", verb, absl::CHexEscape(name.substr(0, kMaxLoggedName)),
                 std::string_view(message.data(), message.size()));
  }
}

}  // namespace

ControlService::ControlService(SessionManager& sessions, Role role, std::string operators_group)
    : sessions_(sessions), role_(role), operators_group_(std::move(operators_group)) {}

grpc::Status ControlService::CheckOperator(const char* verb) const {
  if (role_ == Role::kOperator) return grpc::Status::OK;
  return {grpc::StatusCode::PERMISSION_DENIED,
          absl::StrCat("only root and members of the group ", operators_group_, " may ", verb,
                       " sessions; use sudo, or join: sudo adduser USER ", operators_group_,
                       ", and log in again")};
}

grpc::Status ControlService::Start(grpc::ServerContext*, const pb::StartRequest* request,
                                   pb::StartResponse* response) {
  if (grpc::Status status = CheckOperator("start"); !status.ok()) return status;
  absl::StatusOr<pb::SessionStatus> session = sessions_.Start(*request);
  Log("start", request->name(), session);
  if (!session.ok()) return ToGrpc(session.status());
  *response->mutable_session() = *std::move(session);
  return grpc::Status::OK;
}

grpc::Status ControlService::Stop(grpc::ServerContext*, const pb::StopRequest* request,
                                  pb::StopResponse* response) {
  if (grpc::Status status = CheckOperator("stop"); !status.ok()) return status;
  absl::StatusOr<pb::SessionStatus> session = sessions_.Stop(request->name());
  Log("stop", request->name(), session);
  if (!session.ok()) return ToGrpc(session.status());
  *response->mutable_session() = *std::move(session);
  return grpc::Status::OK;
}

grpc::Status ControlService::Snapshot(grpc::ServerContext*, const pb::SnapshotRequest* request,
                                      pb::SnapshotResponse* response) {
  if (grpc::Status status = CheckOperator("snapshot"); !status.ok()) return status;
  absl::StatusOr<pb::SnapshotResponse> snapshot =
      sessions_.Snapshot(request->name(), request->snapshot_name());
  Log("snapshot", request->name(), snapshot);
  if (!snapshot.ok()) return ToGrpc(snapshot.status());
  *response = *std::move(snapshot);
  return grpc::Status::OK;
}

grpc::Status ControlService::Status(grpc::ServerContext*, const pb::StatusRequest* request,
                                    pb::StatusResponse* response) {
  absl::StatusOr<std::vector<pb::SessionStatus>> sessions = sessions_.Status(request->name());
  if (!sessions.ok()) return ToGrpc(sessions.status());
  MoveTo(*std::move(sessions), *response->mutable_sessions());
  response->set_daemon_version(GORDIAN_VERSION);
  response->set_free_bytes(sessions_.FreeBytes());
  return grpc::Status::OK;
}

grpc::Status ControlService::List(grpc::ServerContext*, const pb::ListRequest*,
                                  pb::ListResponse* response) {
  MoveTo(sessions_.List(), *response->mutable_sessions());
  return grpc::Status::OK;
}

}  // namespace gordian
