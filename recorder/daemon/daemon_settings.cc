// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/daemon_settings.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "recorder/settings/settings_file.h"
#include "words/budget_option.h"

namespace gordian {
namespace {

constexpr const char* kDefaultAuditFile = "/var/log/gordian/audit.log";
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

SessionLimits NoLimits() {
  return {.max_session_bytes = kNoLimit,
          .max_total_bytes = kNoLimit,
          .min_free_bytes = 0,
          .max_sessions = kNoLimit,
          .max_duration_ns = kNoLimit,
          .max_kernel_ring_bytes_per_cpu = kNoLimit};  // the CPUs' has its default
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

void ReadListen(SettingsMap& map, NetworkSettings& network) {
  std::vector<std::string> addresses;
  map.Read("listen", addresses);
  if (addresses.empty()) map.Refuse("listen", "'listen' is missing: the addresses to listen at");
  for (const std::string& text : addresses) {
    absl::StatusOr<NetworkAddress> address = ParseNetworkAddress(text);
    if (address.ok()) {
      network.listen.push_back(*std::move(address));
    } else {
      map.Refuse("listen", Message(address.status()));
    }
  }
}

void ReadNetwork(SettingsMap map, NetworkSettings& network) {
  ReadListen(map, network);
  const std::pair<const char*, std::string*> files[] = {
      {"certificate", &network.files.certificate},
      {"key", &network.files.key},
      {"authority", &network.files.authority},
  };
  for (const auto& [key, file] : files) {
    map.Read(key, *file);
    if (file->empty()) {
      map.Refuse(key, absl::StrCat("'", key, "' is missing: there is no network without TLS"));
    }
  }
  map.Read("operators", network.roles.operators);
  map.Read("viewers", network.roles.viewers);
  if (absl::Status status = CheckRoleRules(network.roles); !status.ok()) {
    map.Refuse("operators", Message(status));
  }
  map.ReadCount("max-connections", 1, 10'000, network.max_connections);
}

void ReadCpu(SettingsMap& map, uint32_t& max_cpu_ppm) {
  std::string text;
  map.Read("max-cpu", text);
  if (text.empty()) return;
  const std::optional<uint32_t> ppm = ParseBudgetPpm(text);
  if (ppm) {
    max_cpu_ppm = *ppm == 0 ? kAllCpusPpm : *ppm;
  } else {
    map.Refuse("max-cpu", absl::StrCat("'max-cpu' must be ", kBudgetForm));
  }
}

void ReadStacks(SettingsMap& map, StackChoice& max_stacks) {
  std::string text;
  map.Read("max-stacks", text);
  if (text.empty()) return;
  const absl::StatusOr<StackChoice> stacks = ParseStackChoice(text);
  if (stacks.ok()) {
    max_stacks = *stacks;
  } else {
    map.Refuse("max-stacks", "'max-stacks' must be off, sampled or all");
  }
}

void ReadLimits(SettingsMap map, DaemonSettings& settings) {
  SessionLimits& limits = settings.limits;
  map.ReadSize("max-size", limits.max_session_bytes);
  map.ReadTime("max-duration", limits.max_duration_ns);
  map.ReadSize("max-kernel-ring", limits.max_kernel_ring_bytes_per_cpu);
  ReadStacks(map, limits.max_stacks);
  uint64_t max_sample_hz = limits.max_sample_hz;
  map.ReadCount("max-sample-hz", 0, limits.max_sample_hz, max_sample_hz);
  limits.max_sample_hz = static_cast<uint32_t>(max_sample_hz);
  ReadCpu(map, limits.max_cpu_ppm);
  map.ReadSize("max-memory", limits.max_memory_bytes);
  uint64_t max_sessions = limits.max_sessions;
  map.ReadCount("max-sessions", 1, 64, max_sessions);
  limits.max_sessions = max_sessions;
  map.ReadSize("max-total-size", limits.max_total_bytes);
  map.ReadSize("min-free", limits.min_free_bytes);
  map.ReadSize("max-collect-rate", settings.max_collect_bytes_per_second);
}

}  // namespace

absl::StatusOr<DaemonSettings> ReadDaemonSettings(const std::string& path) {
  DaemonSettings settings;
  settings.limits = NoLimits();
  absl::StatusOr<std::unique_ptr<SettingsFile>> file = SettingsFile::Load(path);
  if (absl::IsNotFound(file.status()) && path == kDefaultSettings) return settings;
  if (!file.ok()) return file.status();
  SettingsMap root = (*file)->root();
  if (root.Has("network")) ReadNetwork(root.Map("network"), settings.network.emplace());
  ReadLimits(root.Map("limits"), settings);
  if (settings.network) settings.audit_file = kDefaultAuditFile;
  root.Map("audit").Read("file", settings.audit_file);
  if (absl::Status status = (*file)->status(); !status.ok()) return status;
  return settings;
}

SessionLimits Stricter(const SessionLimits& one, const SessionLimits& other) {
  return {.max_session_bytes = std::min(one.max_session_bytes, other.max_session_bytes),
          .max_total_bytes = std::min(one.max_total_bytes, other.max_total_bytes),
          .min_free_bytes = std::max(one.min_free_bytes, other.min_free_bytes),
          .max_sessions = std::min(one.max_sessions, other.max_sessions),
          .max_duration_ns = std::min(one.max_duration_ns, other.max_duration_ns),
          .max_kernel_ring_bytes_per_cpu =
              std::min(one.max_kernel_ring_bytes_per_cpu, other.max_kernel_ring_bytes_per_cpu),
          .max_cpu_ppm = std::min(one.max_cpu_ppm, other.max_cpu_ppm),
          .max_memory_bytes = std::min(one.max_memory_bytes, other.max_memory_bytes),
          .max_stacks = std::min(one.max_stacks, other.max_stacks),
          .max_sample_hz = std::min(one.max_sample_hz, other.max_sample_hz)};
}

}  // namespace gordian
