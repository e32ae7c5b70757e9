// SPDX-License-Identifier: Apache-2.0
// A certificate authority of one's own: makes itself, and certificates for nodes and people.
//
// Keys are on the curve P-256, signatures with SHA-256: every TLS 1.2 and 1.3 has them, and a
// handshake costs a fraction of a millisecond.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

struct PemPair {
  std::string certificate;
  std::string key;
};

// Seconds since 1970, UTC.
struct Validity {
  int64_t from_s = 0;
  int64_t until_s = 0;
};

absl::StatusOr<PemPair> MakeAuthority(const std::string& name, const Validity& validity);

enum class HolderKind {
  kNode,      // is a server, and asks other nodes for their clocks
  kOperator,  // a person or program that may start, stop, collect and remove
  kViewer,    // one that may look
};

struct CertificateRequest {
  HolderKind kind = HolderKind::kViewer;
  std::string name;                    // the common name
  std::vector<std::string> addresses;  // of a node: host names and IP addresses it is reached by
  Validity validity;
};

// InvalidArgument for names that cannot be in a certificate, a validity beyond the authority's, or
// an authority whose key is another's.
absl::StatusOr<PemPair> IssueCertificate(const PemPair& authority,
                                         const CertificateRequest& request);

}  // namespace gordian
