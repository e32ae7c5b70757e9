// The control service: checks what a caller may do, asks the sessions' manager, and notes it.
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
  // Who may do what a caller may not, with %s for it, and how to become one of them.
  std::string operators_rule;
  AuditLog* audit = nullptr;
  uint64_t max_collect_bytes_per_second = 0;  // of all callers together; 0: no limit
  // What Clock answers with; a test's may be far from this machine's.
  std::function<pb::ClockPair()> read_clocks = ReadClockPair;
};

// `sessions` and the audit log must outlive the service. Which call has which role stands in
// rpcs.h.
std::unique_ptr<grpc::Service> MakeControlService(SessionManager& sessions,
                                                  ControlServiceOptions options);

}  // namespace gordian
