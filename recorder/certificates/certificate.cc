// SPDX-License-Identifier: Apache-2.0
#include "recorder/certificates/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "recorder/certificates/openssl_handles.h"

namespace gordian {
namespace {

// A chain of certificates takes some kilobytes; a site's bundle of authorities some hundred.
constexpr off_t kMaxPemBytes = 4 << 20;

std::string ShownText(const ASN1_STRING* text) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, text);
  if (size < 0) {
    ERR_clear_error();
    return "";
  }
  std::string shown(reinterpret_cast<const char*>(utf8), static_cast<size_t>(size));
  OPENSSL_free(utf8);
  const bool plain = std::all_of(shown.begin(), shown.end(), [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte >= 0x20 && byte != 0x7f;
  });
  return plain ? shown : "";
}

std::string CommonName(X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index < 0) return "";
  return ShownText(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
}

int64_t Seconds(const ASN1_TIME* time) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return timegm(&parts);
}

std::string Serial(X509* certificate) {
  const NumberPointer number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* text = number != nullptr ? BN_bn2hex(number.get()) : nullptr;
  std::string serial = text != nullptr ? text : "";
  OPENSSL_free(text);
  return serial;
}

void AddAlternativeNames(X509* certificate, CertificateFacts& facts) {
  const NamesPointer names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  ERR_clear_error();
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS && name->type != GEN_URI) continue;
    std::string text = ShownText(name->d.ia5);
    if (text.empty()) continue;
    (name->type == GEN_DNS ? facts.dns_names : facts.uris).push_back(std::move(text));
  }
}

absl::StatusOr<std::string> ReadPemFile(const std::string& path, bool secret) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode) || status.st_size > kMaxPemBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no PEM file"));
  }
  if (secret && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " can be read by others than its owner; chmod 600 ", path));
  }
  std::ostringstream text;
  if (!(text << std::ifstream(path, std::ios::binary).rdbuf())) {
    return absl::UnavailableError(absl::StrCat("cannot read ", path));
  }
  return text.str();
}

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, ": ", status.message())};
}

// The certificates behind the first one of `pem`, for the way to the authority; owned by `kept`.
void ReadChain(const std::string& pem, std::vector<X509Pointer>& kept) {
  const BioPointer reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (X509* certificate = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    kept.emplace_back(certificate);
  }
  ERR_clear_error();
}

// InvalidArgument with OpenSSL's reason unless the certificate is good now.
absl::Status CheckChain(const std::string& certificate_pem, const std::string& authority_pem,
                        TlsPurpose purpose) {
  std::vector<X509Pointer> chain;
  std::vector<X509Pointer> authorities;
  ReadChain(certificate_pem, chain);
  ReadChain(authority_pem, authorities);
  const StorePointer store(X509_STORE_new());
  for (const X509Pointer& authority : authorities) {
    X509_STORE_add_cert(store.get(), authority.get());
  }
  STACK_OF(X509)* between = sk_X509_new_null();
  for (size_t i = 1; i < chain.size(); ++i) sk_X509_push(between, chain[i].get());
  const StoreContextPointer context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), chain.front().get(), between);
  X509_STORE_CTX_set_purpose(context.get(), purpose == TlsPurpose::kServer
                                                ? X509_PURPOSE_SSL_SERVER
                                                : X509_PURPOSE_SSL_CLIENT);
  const bool good = X509_verify_cert(context.get()) == 1;
  const int reason = X509_STORE_CTX_get_error(context.get());
  sk_X509_free(between);
  ERR_clear_error();
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(X509_verify_cert_error_string(reason));
}

}  // namespace

absl::StatusOr<CertificateFacts> ReadCertificate(const std::string& pem) {
  absl::StatusOr<X509Pointer> certificate = ReadPemCertificate(pem);
  if (!certificate.ok()) return certificate.status();
  CertificateFacts facts;
  facts.common_name = CommonName(certificate->get());
  facts.serial = Serial(certificate->get());
  facts.not_before_s = Seconds(X509_get0_notBefore(certificate->get()));
  facts.not_after_s = Seconds(X509_get0_notAfter(certificate->get()));
  AddAlternativeNames(certificate->get(), facts);
  return facts;
}

absl::StatusOr<TlsIdentity> LoadTlsIdentity(const TlsFiles& files, TlsPurpose purpose) {
  TlsIdentity identity;
  absl::StatusOr<std::string> certificate_pem = ReadPemFile(files.certificate, false);
  if (!certificate_pem.ok()) return certificate_pem.status();
  absl::StatusOr<std::string> key_pem = ReadPemFile(files.key, true);
  if (!key_pem.ok()) return key_pem.status();
  absl::StatusOr<std::string> authority_pem = ReadPemFile(files.authority, false);
  if (!authority_pem.ok()) return authority_pem.status();

  absl::StatusOr<X509Pointer> certificate = ReadPemCertificate(*certificate_pem);
  if (!certificate.ok()) return InFile(files.certificate, certificate.status());
  absl::StatusOr<KeyPointer> key = ReadPemKey(*key_pem);
  if (!key.ok()) return InFile(files.key, key.status());
  if (auto authority = ReadPemCertificate(*authority_pem); !authority.ok()) {
    return InFile(files.authority, authority.status());
  }
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        absl::StrCat(files.key, " is not the key of ", files.certificate));
  }
  if (absl::Status status = CheckChain(*certificate_pem, *authority_pem, purpose); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(files.certificate, " is not good with ",
                                                   files.authority, ": ", status.message()));
  }
  absl::StatusOr<CertificateFacts> facts = ReadCertificate(*certificate_pem);
  if (!facts.ok()) return InFile(files.certificate, facts.status());
  identity.facts = *std::move(facts);
  identity.certificate_pem = *std::move(certificate_pem);
  identity.key_pem = *std::move(key_pem);
  identity.authority_pem = *std::move(authority_pem);
  return identity;
}

}  // namespace gordian
