// SPDX-License-Identifier: Apache-2.0
#include "recorder/certificates/authority.h"

#include <arpa/inet.h>
#include <openssl/pem.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recorder/certificates/certificate.h"
#include "recorder/certificates/openssl_handles.h"

namespace gordian {
namespace {

constexpr int kSerialBits = 126;       // positive, and never the same twice
constexpr size_t kMaxNameLength = 64;  // of a common name, by X.520

absl::Status Failed(const char* what) {
  return absl::InternalError(absl::StrCat("cannot ", what, ": ", OpenSslError()));
}

// Names go into OpenSSL's configuration syntax, where a comma begins the next one.
absl::Status CheckName(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= kMaxNameLength &&
                    std::all_of(name.begin(), name.end(), [](char character) {
                      return absl::ascii_isalnum(static_cast<unsigned char>(character)) ||
                             absl::string_view(" ._-@:").find(character) != absl::string_view::npos;
                    });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' cannot be the name in a certificate; use 1 to ", kMaxNameLength,
                   " letters, digits, blanks, '.', '_', '-', '@' or ':'"));
}

bool IsIpAddress(const std::string& text) {
  in6_addr address = {};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

absl::Status AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return Failed("add to a certificate");
  }
  return absl::OkStatus();
}

absl::Status SetSerial(X509* certificate) {
  const NumberPointer number(BN_new());
  if (number == nullptr ||
      BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return Failed("make a serial number");
  }
  return absl::OkStatus();
}

absl::StatusOr<X509Pointer> NewCertificate(const std::string& name, const Validity& validity,
                                           EVP_PKEY* key) {
  if (absl::Status status = CheckName(name); !status.ok()) return status;
  if (validity.until_s <= validity.from_s) {
    return absl::InvalidArgumentError("a certificate's end must come after its beginning");
  }
  X509Pointer certificate(X509_new());
  if (certificate == nullptr) return Failed("make a certificate");
  X509_set_version(certificate.get(), X509_VERSION_3);
  if (absl::Status status = SetSerial(certificate.get()); !status.ok()) return status;
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name.data());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, static_cast<int>(name.size()),
                                 -1, 0) != 1 ||
      ASN1_TIME_set(X509_getm_notBefore(certificate.get()), validity.from_s) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(certificate.get()), validity.until_s) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return Failed("fill a certificate");
  }
  return certificate;
}

std::string Taken(BIO* bio) {
  char* text = nullptr;
  const int64_t size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<size_t>(size)};
}

absl::StatusOr<PemPair> ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPointer certificate_text(BIO_new(BIO_s_mem()));
  const BioPointer key_text(BIO_new(BIO_s_secmem()));
  if (certificate_text == nullptr || key_text == nullptr ||
      PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Failed("write a certificate");
  }
  return PemPair{Taken(certificate_text.get()), Taken(key_text.get())};
}

absl::StatusOr<std::string> AlternativeNames(const CertificateRequest& request) {
  if (request.kind == HolderKind::kOperator) return absl::StrCat("URI:", kOperatorUri);
  if (request.kind == HolderKind::kViewer) return absl::StrCat("URI:", kViewerUri);
  if (request.addresses.empty()) {
    return absl::InvalidArgumentError(
        "a node's certificate needs the names or addresses it is reached by");
  }
  std::string names;
  for (const std::string& address : request.addresses) {
    const bool is_ip = IsIpAddress(address);
    if (absl::Status status = CheckName(address); !status.ok()) return status;
    if (!is_ip && absl::StrContains(address, ":")) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", address, "' is no host name or address; give it without a port"));
    }
    absl::StrAppend(&names, names.empty() ? "" : ",", is_ip ? "IP:" : "DNS:", address);
  }
  return names;
}

absl::Status CheckIssuer(X509* authority, EVP_PKEY* key, const Validity& validity) {
  if (X509_check_private_key(authority, key) != 1) {
    return absl::InvalidArgumentError("the authority's key is not that of its certificate");
  }
  if (X509_check_ca(authority) == 0) {
    return absl::InvalidArgumentError("the authority's certificate is no authority's");
  }
  if (ASN1_TIME_cmp_time_t(X509_get0_notAfter(authority), validity.until_s) < 0) {
    return absl::InvalidArgumentError(
        "the authority ends before the certificate would; ask for fewer --days, or make a new one");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PemPair> MakeAuthority(const std::string& name, const Validity& validity) {
  const KeyPointer key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed("make a key");
  absl::StatusOr<X509Pointer> made = NewCertificate(name, validity, key.get());
  if (!made.ok()) return made.status();
  X509* certificate = made->get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  const std::pair<int, const char*> extensions[] = {
      {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
      {NID_key_usage, "critical,keyCertSign,cRLSign"},
      {NID_subject_key_identifier, "hash"},
  };
  for (const auto& [kind, value] : extensions) {
    if (auto status = AddExtension(certificate, certificate, kind, value); !status.ok()) {
      return status;
    }
  }
  if (X509_sign(certificate, key.get(), EVP_sha256()) == 0) return Failed("sign a certificate");
  return ToPem(certificate, key.get());
}

absl::StatusOr<PemPair> IssueCertificate(const PemPair& authority,
                                         const CertificateRequest& request) {
  absl::StatusOr<X509Pointer> issuer = ReadPemCertificate(authority.certificate);
  if (!issuer.ok()) return issuer.status();
  absl::StatusOr<KeyPointer> issuer_key = ReadPemKey(authority.key);
  if (!issuer_key.ok()) return issuer_key.status();
  if (auto status = CheckIssuer(issuer->get(), issuer_key->get(), request.validity); !status.ok()) {
    return status;
  }
  const absl::StatusOr<std::string> names = AlternativeNames(request);
  if (!names.ok()) return names.status();

  const KeyPointer key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed("make a key");
  absl::StatusOr<X509Pointer> made = NewCertificate(request.name, request.validity, key.get());
  if (!made.ok()) return made.status();
  X509* certificate = made->get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer->get()));
  // A node is a client of the node whose clock it follows; a person's certificate cannot be a
  // server's.
  const char* usage = request.kind == HolderKind::kNode ? "serverAuth,clientAuth" : "clientAuth";
  const std::pair<int, std::string> extensions[] = {
      {NID_basic_constraints, "critical,CA:FALSE"},
      {NID_key_usage, "critical,digitalSignature"},
      {NID_ext_key_usage, usage},
      {NID_subject_key_identifier, "hash"},
      {NID_authority_key_identifier, "keyid"},
      {NID_subject_alt_name, *names},
  };
  for (const auto& [kind, value] : extensions) {
    if (auto status = AddExtension(certificate, issuer->get(), kind, value); !status.ok()) {
      return status;
    }
  }
  if (X509_sign(certificate, issuer_key->get(), EVP_sha256()) == 0) {
    return Failed("sign a certificate");
  }
  return ToPem(certificate, key.get());
}

}  // namespace gordian
