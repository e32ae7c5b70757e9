// SPDX-License-Identifier: Apache-2.0
// The daemon's side towards the network, as its settings say.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "recorder/control/audit_log.h"
#include "recorder/control/network_server.h"
#include "recorder/daemon/daemon_settings.h"
#include "recorder/sessions/session_manager.h"

namespace gordian {

// Settings with the certificates they name, read and found good.
struct DaemonPlan {
  DaemonSettings settings;
  std::optional<TlsIdentity> identity;  // there if settings.network is
};

absl::StatusOr<DaemonPlan> MakePlan(const std::string& settings_path);

// The actions of a daemon with this plan, for people: one line each.
std::string DescribePlan(const DaemonPlan& plan, const SessionLimits& limits);

// Null without an audit file.
absl::StatusOr<std::unique_ptr<AuditLog>> OpenAuditLog(const DaemonSettings& settings);

// From now on gRPC's complaints (above all, failed handshakes) go to the daemon's log, a line a
// second at most: clients without a certificate must not flood the journal.
void TakeGrpcLog();

// Null without a network. `sessions` and `audit` must outlive it.
absl::StatusOr<std::unique_ptr<NetworkServer>> ServeNetwork(const DaemonPlan& plan,
                                                            SessionManager& sessions,
                                                            AuditLog* audit);

// Measures against references with this node's certificate; empty without one.
std::function<MeasureReference(const pb::ClockReference&)> ReferenceMeasurer(
    const DaemonPlan& plan);

}  // namespace gordian
