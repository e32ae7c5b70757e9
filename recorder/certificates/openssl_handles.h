// SPDX-License-Identifier: Apache-2.0
// OpenSSL's objects, freed with their owner.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace gordian {

template <typename T, void (*Free)(T*)>
struct OpenSslFree {
  void operator()(T* object) const { Free(object); }
};
inline void FreeNames(GENERAL_NAMES* names) { GENERAL_NAMES_free(names); }
inline void FreeBio(BIO* bio) { BIO_free_all(bio); }

using X509Pointer = std::unique_ptr<X509, OpenSslFree<X509, X509_free>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY, EVP_PKEY_free>>;
using BioPointer = std::unique_ptr<BIO, OpenSslFree<BIO, FreeBio>>;
using NumberPointer = std::unique_ptr<BIGNUM, OpenSslFree<BIGNUM, BN_free>>;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, OpenSslFree<GENERAL_NAMES, FreeNames>>;
using ExtensionPointer =
    std::unique_ptr<X509_EXTENSION, OpenSslFree<X509_EXTENSION, X509_EXTENSION_free>>;
using StorePointer = std::unique_ptr<X509_STORE, OpenSslFree<X509_STORE, X509_STORE_free>>;
using StoreContextPointer =
    std::unique_ptr<X509_STORE_CTX, OpenSslFree<X509_STORE_CTX, X509_STORE_CTX_free>>;

// OpenSSL's last complaint; empties its queue.
std::string OpenSslError();

// The first certificate, or private key, in `pem`. A key that wants a passphrase is an error.
absl::StatusOr<X509Pointer> ReadPemCertificate(const std::string& pem);
absl::StatusOr<KeyPointer> ReadPemKey(const std::string& pem);

}  // namespace gordian
