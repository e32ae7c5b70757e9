// SPDX-License-Identifier: Apache-2.0
// The control service: checks a caller's rights, asks the sessions' manager, and notes the call.
#pragma once

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "recorder/control/audit_log.h"
#include "recorder/control/caller.h"
#include "recorder/sessions/session_manager.h"
#include "recorder/sources/clock.h"

namespace gordian {

struct ControlServiceOptions {
  std::function<Caller(const grpc::ServerContext&)> caller;
  // The text of a refusal, with %s for the action: the users who may do it, and how to become one
  // of them.
  std::string operators_rule;
  AuditLog* audit = nullptr;
  uint64_t max_collect_bytes_per_second = 0;  // of all callers together; 0: no limit
  // The clock that Clock answers with; a test's may be far from this machine's.
  std::function<pb::ClockPair()> read_clocks = ReadClockPair;
};

// `sessions` and the audit log must outlive the service. rpcs.h tells the role of each call.
std::unique_ptr<grpc::Service> MakeControlService(SessionManager& sessions,
                                                  ControlServiceOptions options);

}  // namespace gordian
