// SPDX-License-Identifier: Apache-2.0
#include "recorder/certificates/openssl_handles.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// A daemon must not wait at a terminal for a passphrase.
int NoPassphrase(char*, int, int, void*) { return -1; }

BioPointer Reader(const std::string& pem) {
  return BioPointer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

}  // namespace

std::string OpenSslError() {
  std::array<char, 256> text = {"no reason given"};
  if (const unsigned long code = ERR_peek_last_error(); code != 0) {
    ERR_error_string_n(code, text.data(), text.size());
  }
  ERR_clear_error();
  return text.data();
}

absl::StatusOr<X509Pointer> ReadPemCertificate(const std::string& pem) {
  const BioPointer reader = Reader(pem);
  X509Pointer certificate(PEM_read_bio_X509(reader.get(), nullptr, NoPassphrase, nullptr));
  if (certificate == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("no certificate in it: ", OpenSslError()));
  }
  return certificate;
}

absl::StatusOr<KeyPointer> ReadPemKey(const std::string& pem) {
  const BioPointer reader = Reader(pem);
  KeyPointer key(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("no private key in it that opens without a passphrase: ", OpenSslError()));
  }
  return key;
}

}  // namespace gordian
