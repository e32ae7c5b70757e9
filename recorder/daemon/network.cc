// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/network.h"

#include <grpc/support/log.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "recorder/control/remote_clock.h"
#include "recorder/sources/clock.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// A node's measurement: enough exchanges that one of them met no queue.
constexpr int kExchanges = 8;
constexpr auto kExchangeTimeout = std::chrono::milliseconds(500);
// Certificates that end within this are worth a line whenever the daemon starts.
constexpr absl::Duration kEndsSoon = absl::Hours(30 * 24);

std::string AddressesText(const std::vector<NetworkAddress>& addresses) {
  return absl::StrJoin(addresses, ", ", [](std::string* out, const NetworkAddress& address) {
    absl::StrAppend(out, address.text());
  });
}

void WarnOfItsEnd(const TlsIdentity& identity) {
  const absl::Time end = absl::FromUnixSeconds(identity.facts.not_after_s);
  if (end - absl::Now() > kEndsSoon) return;
  spdlog::warn("network: the certificate of {} ends at {}; issue a new one and restart",
               identity.facts.common_name, FormatRealtime(absl::ToUnixNanos(end)));
}

constexpr int64_t kLogEveryNs = 1'000'000'000;

void LogForGrpc(gpr_log_func_args* complaint) {
  static std::atomic<int64_t> next_ns = 0;
  static std::atomic<uint64_t> left_out = 0;
  const auto now_ns = static_cast<int64_t>(MonotonicNowNs());
  int64_t due_ns = next_ns;
  if (now_ns < due_ns || !next_ns.compare_exchange_strong(due_ns, now_ns + kLogEveryNs)) {
    ++left_out;
    return;
  }
  spdlog::warn("network: {} ({} more since the last line)", complaint->message,
               left_out.exchange(0));
}

}  // namespace

void TakeGrpcLog() {
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  gpr_set_log_function(LogForGrpc);
}

absl::StatusOr<DaemonPlan> MakePlan(const std::string& settings_path) {
  absl::StatusOr<DaemonSettings> settings = ReadDaemonSettings(settings_path);
  if (!settings.ok()) return settings.status();
  DaemonPlan plan{.settings = *std::move(settings), .identity = std::nullopt};
  if (!plan.settings.network) return plan;
  absl::StatusOr<TlsIdentity> identity =
      LoadTlsIdentity(plan.settings.network->files, TlsPurpose::kServer);
  if (!identity.ok()) {
    return absl::Status(identity.status().code(),
                        absl::StrCat(settings_path, ": network: ", identity.status().message()));
  }
  plan.identity = *std::move(identity);
  return plan;
}

std::string DescribePlan(const DaemonPlan& plan, const SessionLimits& limits) {
  std::string text;
  if (plan.settings.network) {
    const CertificateFacts& facts = plan.identity->facts;
    absl::StrAppend(&text, "network: ", AddressesText(plan.settings.network->listen), " as ",
                    facts.common_name, ", certificate until ",
                    FormatRealtime(facts.not_after_s * 1'000'000'000), "\n");
  } else {
    absl::StrAppend(&text, "network: off\n");
  }
  const std::string& audit = plan.settings.audit_file;
  absl::StrAppend(&text, "audit: ", audit.empty() ? "off" : audit, "\n");
  absl::StrAppend(&text, "a session: ", FormatSize(limits.max_session_bytes), ", ",
                  FormatDuration(limits.max_duration_ns), ", kernel rings of ",
                  FormatSize(limits.max_kernel_ring_bytes_per_cpu), ", stacks ",
                  StackChoiceText(limits.max_stacks), ", ", limits.max_sample_hz,
                  " samples a second\n");
  const bool any_cpu = limits.max_cpu_ppm >= kAllCpusPpm;
  const bool any_memory = limits.max_memory_bytes == SessionLimits{}.max_memory_bytes;
  absl::StrAppend(
      &text, "the node: ", limits.max_sessions, " sessions, ", FormatSize(limits.max_total_bytes),
      ", ", FormatSize(limits.min_free_bytes), " left free, ",
      any_cpu ? "any share" : PercentText(static_cast<double>(limits.max_cpu_ppm) / 1e6),
      " of the CPUs, ", any_memory ? "any" : FormatSize(limits.max_memory_bytes),
      any_memory ? " memory\n" : " of memory\n");
  return text;
}

absl::StatusOr<std::unique_ptr<AuditLog>> OpenAuditLog(const DaemonSettings& settings) {
  if (settings.audit_file.empty()) return std::unique_ptr<AuditLog>();
  return AuditLog::Open(settings.audit_file);
}

absl::StatusOr<std::unique_ptr<NetworkServer>> ServeNetwork(const DaemonPlan& plan,
                                                            SessionManager& sessions,
                                                            AuditLog* audit) {
  if (!plan.settings.network || audit == nullptr) return std::unique_ptr<NetworkServer>();
  TakeGrpcLog();
  std::vector<TcpListener> listeners;
  std::vector<NetworkAddress> addresses;
  for (const NetworkAddress& address : plan.settings.network->listen) {
    absl::StatusOr<TcpListener> listener = TcpListener::Open(address);
    if (!listener.ok()) return listener.status();
    addresses.push_back(listener->address());
    listeners.push_back(*std::move(listener));
  }
  WarnOfItsEnd(*plan.identity);
  auto server = NetworkServer::Start(
      std::move(listeners), sessions, *audit,
      {.identity = *plan.identity,
       .roles = plan.settings.network->roles,
       .max_connections = plan.settings.network->max_connections,
       .max_collect_bytes_per_second = plan.settings.max_collect_bytes_per_second});
  if (server.ok()) {
    spdlog::info("network: serves {} as {}", AddressesText(addresses),
                 plan.identity->facts.common_name);
  }
  return server;
}

std::function<MeasureReference(const pb::ClockReference&)> ReferenceMeasurer(
    const DaemonPlan& plan) {
  if (!plan.identity) return nullptr;
  return [identity = *plan.identity](const pb::ClockReference& reference) -> MeasureReference {
    const absl::StatusOr<NetworkAddress> address = ParseNetworkAddress(reference.address());
    if (!address.ok()) return [status = address.status()] { return status; };
    return [channel = MutualTlsChannel(*address, identity)] {
      return MeasureClockOver(channel, kExchanges, kExchangeTimeout);
    };
  };
}

}  // namespace gordian
