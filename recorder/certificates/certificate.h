// SPDX-License-Identifier: Apache-2.0
// The holder of a certificate, and whether a daemon can use it as a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

// Names by which Gordian's own authority grants a client's rights: a URI among the certificate's
// alternative names. docs/design-roles-by-certificate.md says why.
inline constexpr const char* kOperatorUri = "gordian:role/operator";
inline constexpr const char* kViewerUri = "gordian:role/viewer";

struct CertificateFacts {
  std::string common_name;
  std::string serial;  // hexadecimal
  std::vector<std::string> dns_names;
  std::vector<std::string> uris;
  int64_t not_before_s = 0;  // since 1970, UTC
  int64_t not_after_s = 0;
};

// Of the first certificate in `pem`. Names with control characters or zeros in them are left out:
// they could not be shown, and no real name has them.
absl::StatusOr<CertificateFacts> ReadCertificate(const std::string& pem);

// Three files, in PEM, as a server or a client of mutual TLS needs them.
struct TlsFiles {
  std::string certificate;  // followed by those between it and the authority, if any
  std::string key;
  std::string authority;  // one or more, whose certificates are believed
};

// Their contents.
struct TlsIdentity {
  std::string certificate_pem;
  std::string key_pem;
  std::string authority_pem;
  CertificateFacts facts;
};

enum class TlsPurpose { kServer, kClient };

// Reads and checks them: only the owner may read the key, the key is the certificate's, and the
// certificate leads to the authority, is meant for `purpose` and is valid now. The error names the
// file and the way out.
absl::StatusOr<TlsIdentity> LoadTlsIdentity(const TlsFiles& files, TlsPurpose purpose);

}  // namespace gordian
