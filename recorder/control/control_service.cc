#include "recorder/control/control_service.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "recorder/control/file_sender.h"
#include "recorder/sources/host.h"

namespace gordian {
namespace {

// Each holds a thread of the server while it goes on.
constexpr int kMaxCollecting = 8;

grpc::Status ToGrpc(const absl::Status& status) {
  // The two sets of codes are the same.
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

void MoveTo(std::vector<pb::SessionStatus> sessions,
            google::protobuf::RepeatedPtrField<pb::SessionStatus>& field) {
  for (pb::SessionStatus& session : sessions) *field.Add() = std::move(session);
}

// Into `field`, or why not.
template <typename Result, typename Field>
absl::Status MoveResult(absl::StatusOr<Result> result, Field& field) {
  if (!result.ok()) return result.status();
  field = *std::move(result);
  return absl::OkStatus();
}

constexpr size_t kMaxLoggedName = 64;

// Logs what an operator did, or why it failed. A name that was refused may be anything.
void Log(const char* verb, const std::string& name, const absl::Status& result) {
  if (result.ok()) {
    spdlog::info("{} {}", verb, name);
  } else {
    const absl::string_view message = result.message();
    spdlog::warn("{} {} failed: {}", verb, absl::CHexEscape(name.substr(0, kMaxLoggedName)),
                 std::string_view(message.data(), message.size()));
  }
}

}  // namespace

ControlService::ControlService(SessionManager& sessions, ControlServiceOptions options)
    : sessions_(sessions),
      options_(std::move(options)),
      collect_rate_(options_.max_collect_bytes_per_second) {}

grpc::Status ControlService::Control(const grpc::ServerContext& context, const char* verb,
                                     const std::string& session,
                                     const std::function<absl::Status()>& act) {
  const Caller caller = options_.caller(context);
  const bool allowed = caller.role == Role::kOperator;
  const absl::Status result = allowed ? act()
                                      : absl::PermissionDeniedError(absl::StrReplaceAll(
                                            options_.operators_rule, {{"%s", verb}}));
  // One line for what an operator asked; files are many.
  if (allowed && verb != std::string_view("fetch")) Log(verb, session, result);
  if (options_.audit != nullptr) options_.audit->Write(caller, verb, session, result);
  return ToGrpc(result);
}

grpc::Status ControlService::CheckViewer(const grpc::ServerContext& context,
                                         const char* verb) const {
  const Caller caller = options_.caller(context);
  if (caller.role != Role::kNone) return grpc::Status::OK;
  const absl::Status refusal = absl::PermissionDeniedError(
      "this certificate has no role here; gordian ca issue makes viewers' and operators'");
  if (options_.audit != nullptr) options_.audit->Write(caller, verb, "", refusal);
  return ToGrpc(refusal);
}

grpc::Status ControlService::Start(grpc::ServerContext* context, const pb::StartRequest* request,
                                   pb::StartResponse* response) {
  return Control(*context, "start", request->name(), [&] {
    return MoveResult(sessions_.Start(*request), *response->mutable_session());
  });
}

grpc::Status ControlService::Arm(grpc::ServerContext* context, const pb::StartRequest* request,
                                 pb::StartResponse* response) {
  return Control(*context, "arm", request->name(), [&]() -> absl::Status {
    // A controller that has gone will not let it begin, and until we noticed by ourselves the name
    // would be taken.
    absl::Status gone = absl::CancelledError("the controller went away");
    if (context->IsCancelled()) return gone;
    absl::Status status = MoveResult(sessions_.Arm(*request), *response->mutable_session());
    if (!status.ok() || !context->IsCancelled()) return status;
    return sessions_.Stop(request->name()).ok() ? gone : status;
  });
}

grpc::Status ControlService::Begin(grpc::ServerContext* context, const pb::BeginRequest* request,
                                   pb::BeginResponse* response) {
  return Control(*context, "begin", request->name(), [&] {
    return MoveResult(sessions_.Begin(request->name(), request->at_monotonic_ns()), *response);
  });
}

grpc::Status ControlService::Stop(grpc::ServerContext* context, const pb::StopRequest* request,
                                  pb::StopResponse* response) {
  return Control(*context, "stop", request->name(), [&] {
    return MoveResult(sessions_.Stop(request->name()), *response->mutable_session());
  });
}

grpc::Status ControlService::Snapshot(grpc::ServerContext* context,
                                      const pb::SnapshotRequest* request,
                                      pb::SnapshotResponse* response) {
  return Control(*context, "snapshot", request->name(), [&] {
    return MoveResult(sessions_.Snapshot(request->name(), request->snapshot_name()), *response);
  });
}

grpc::Status ControlService::Remove(grpc::ServerContext* context, const pb::RemoveRequest* request,
                                    pb::RemoveResponse* response) {
  return Control(*context, "remove", request->name(), [&] {
    const absl::StatusOr<uint64_t> bytes = sessions_.Remove(request->name());
    if (bytes.ok()) response->set_bytes_freed(*bytes);
    return bytes.status();
  });
}

grpc::Status ControlService::Status(grpc::ServerContext* context, const pb::StatusRequest* request,
                                    pb::StatusResponse* response) {
  if (grpc::Status status = CheckViewer(*context, "status"); !status.ok()) return status;
  absl::StatusOr<std::vector<pb::SessionStatus>> sessions = sessions_.Status(request->name());
  if (!sessions.ok()) return ToGrpc(sessions.status());
  MoveTo(*std::move(sessions), *response->mutable_sessions());
  response->set_daemon_version(GORDIAN_VERSION);
  response->set_free_bytes(sessions_.FreeBytes());
  return grpc::Status::OK;
}

grpc::Status ControlService::List(grpc::ServerContext* context, const pb::ListRequest*,
                                  pb::ListResponse* response) {
  if (grpc::Status status = CheckViewer(*context, "list"); !status.ok()) return status;
  MoveTo(sessions_.List(), *response->mutable_sessions());
  return grpc::Status::OK;
}

grpc::Status ControlService::Clock(grpc::ServerContext*, const pb::ClockRequest*,
                                   pb::ClockResponse* response) {
  static const std::string boot_id = ReadBootId(SystemPaths{});  // the same as long as we live
  response->set_boot_id(boot_id);
  // Nothing comes between this and the answer.
  const pb::ClockPair clocks = options_.read_clocks();
  response->set_monotonic_ns(clocks.monotonic_ns());
  response->set_realtime_ns(clocks.realtime_ns());
  return grpc::Status::OK;
}

grpc::Status ControlService::Files(grpc::ServerContext* context, const pb::FilesRequest* request,
                                   pb::FilesResponse* response) {
  return Control(*context, "collect", request->name(),
                 [&] { return MoveResult(sessions_.Files(request->name()), *response); });
}

grpc::Status ControlService::Fetch(grpc::ServerContext* context, const pb::FetchRequest* request,
                                   grpc::ServerWriter<pb::FetchPart>* writer) {
  const std::string what = absl::StrCat(request->name(), "/", request->file());
  return Control(*context, "fetch", what, [&]() -> absl::Status {
    absl::Status status = absl::ResourceExhaustedError(absl::StrCat(
        kMaxCollecting, " files are being collected from this node already; try again"));
    if (++collecting_ <= kMaxCollecting) {
      absl::StatusOr<FileDescriptor> file = sessions_.OpenFile(request->name(), request->file());
      status = file.ok() ? SendFile(*context, *file, request->offset(), collect_rate_, *writer)
                         : file.status();
    }
    --collecting_;
    return status;
  });
}

}  // namespace gordian
