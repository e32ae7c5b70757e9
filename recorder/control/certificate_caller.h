// SPDX-License-Identifier: Apache-2.0
// The caller at the other end of a connection with mutual TLS, by the certificate that the
// handshake has verified.
#pragma once

#include <grpcpp/server_context.h>

#include <string>
#include <vector>

#include "recorder/certificates/certificate.h"
#include "recorder/control/caller.h"

namespace gordian {

// Which certificates have which role. Empty: as they say themselves (kOperatorUri, kViewerUri). As
// soon as one list has an entry, only the lists count: a site's authority may sign any URIs.
// Entries are CN:NAME, DNS:NAME or URI:URI.
struct RoleRules {
  std::vector<std::string> operators;
  std::vector<std::string> viewers;
};

absl::Status CheckRoleRules(const RoleRules& rules);
Role RoleOf(const CertificateFacts& facts, const RoleRules& rules);
Caller CallerOf(const grpc::ServerContext& context, const RoleRules& rules);

}  // namespace gordian
