// The control service: checks what a caller may do, asks the sessions' manager, and notes it.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "recorder/control/audit_log.h"
#include "recorder/control/caller.h"
#include "recorder/control/rate_limit.h"
#include "recorder/sessions/session_manager.h"
#include "recorder/sources/clock.h"
#include "schema/control.grpc.pb.h"

namespace gordian {

struct ControlServiceOptions {
  std::function<Caller(const grpc::ServerContext&)> caller;
  // Who may do what a caller may not, with %s for it, and how to become one of them.
  std::string operators_rule;
  AuditLog* audit = nullptr;
  uint64_t max_collect_bytes_per_second = 0;  // of all callers together; 0: no limit
  // What Clock answers with; a test's may be far from this machine's.
  std::function<pb::ClockPair()> read_clocks = ReadClockPair;
};

class ControlService final : public pb::Control::Service {
 public:
  // `sessions` and the audit log must outlive the service.
  ControlService(SessionManager& sessions, ControlServiceOptions options);

  grpc::Status Start(grpc::ServerContext*, const pb::StartRequest*, pb::StartResponse*) override;
  grpc::Status Arm(grpc::ServerContext*, const pb::StartRequest*, pb::StartResponse*) override;
  grpc::Status Begin(grpc::ServerContext*, const pb::BeginRequest*, pb::BeginResponse*) override;
  grpc::Status Stop(grpc::ServerContext*, const pb::StopRequest*, pb::StopResponse*) override;
  grpc::Status Snapshot(grpc::ServerContext*, const pb::SnapshotRequest*,
                        pb::SnapshotResponse*) override;
  grpc::Status Status(grpc::ServerContext*, const pb::StatusRequest*, pb::StatusResponse*) override;
  grpc::Status List(grpc::ServerContext*, const pb::ListRequest*, pb::ListResponse*) override;
  grpc::Status Clock(grpc::ServerContext*, const pb::ClockRequest*, pb::ClockResponse*) override;
  grpc::Status Files(grpc::ServerContext*, const pb::FilesRequest*, pb::FilesResponse*) override;
  grpc::Status Fetch(grpc::ServerContext*, const pb::FetchRequest*,
                     grpc::ServerWriter<pb::FetchPart>*) override;
  grpc::Status Remove(grpc::ServerContext*, const pb::RemoveRequest*, pb::RemoveResponse*) override;

 private:
  // Runs `act`, for which the caller must be an operator, and notes how it went.
  grpc::Status Control(const grpc::ServerContext& context, const char* verb,
                       const std::string& session, const std::function<absl::Status()>& act);
  // PERMISSION_DENIED, noted, for a caller without a role.
  grpc::Status CheckViewer(const grpc::ServerContext& context, const char* verb) const;

  SessionManager& sessions_;
  const ControlServiceOptions options_;
  RateLimit collect_rate_;
  std::atomic<int> collecting_ = 0;
};

}  // namespace gordian
