// SPDX-License-Identifier: Apache-2.0
// gordiand.yaml: the network, and the limits of this node's owner.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/certificates/certificate.h"
#include "recorder/control/certificate_caller.h"
#include "recorder/control/network_address.h"
#include "recorder/sessions/session_limits.h"

namespace gordian {

struct NetworkSettings {
  std::vector<NetworkAddress> listen;
  TlsFiles files;
  RoleRules roles;
  uint64_t max_connections = 256;
};

struct DaemonSettings {
  std::optional<NetworkSettings> network;  // absent: this daemon is not on the network
  // A limit that the file does not name is no limit, except that of the CPUs, which only this file
  // tells: it holds without a file, too.
  SessionLimits limits;
  uint64_t max_collect_bytes_per_second = 0;
  std::string audit_file;  // empty: no log is kept
};

// The file, unless the command line names another.
inline constexpr const char* kDefaultSettings = "/etc/gordian/gordiand.yaml";

// An absent file is an error only if it is not the default one.
absl::StatusOr<DaemonSettings> ReadDaemonSettings(const std::string& path);

// The stricter of the two in everything.
SessionLimits Stricter(const SessionLimits& one, const SessionLimits& other);

}  // namespace gordian
