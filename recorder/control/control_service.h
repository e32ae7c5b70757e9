// The control service of one role: checks what that role may do and asks the sessions' manager.
#pragma once

#include "proto/control.grpc.pb.h"
#include "recorder/control/peer.h"
#include "recorder/sessions/session_manager.h"

namespace gordian {

class ControlService final : public pb::Control::Service {
 public:
  // `sessions` must outlive the service.
  ControlService(SessionManager& sessions, Role role, std::string operators_group);

  grpc::Status Start(grpc::ServerContext*, const pb::StartRequest*, pb::StartResponse*) override;
  grpc::Status Stop(grpc::ServerContext*, const pb::StopRequest*, pb::StopResponse*) override;
  grpc::Status Snapshot(grpc::ServerContext*, const pb::SnapshotRequest*,
                        pb::SnapshotResponse*) override;
  grpc::Status Status(grpc::ServerContext*, const pb::StatusRequest*, pb::StatusResponse*) override;
  grpc::Status List(grpc::ServerContext*, const pb::ListRequest*, pb::ListResponse*) override;

 private:
  // PERMISSION_DENIED, with the way to the right, for a viewer who wants to `verb` sessions.
  grpc::Status CheckOperator(const char* verb) const;

  SessionManager& sessions_;
  const Role role_;
  const std::string operators_group_;
};

}  // namespace gordian
