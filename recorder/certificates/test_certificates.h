// SPDX-License-Identifier: Apache-2.0
// Certificates for tests, in a folder of the test's.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <string>

#include "recorder/certificates/authority.h"
#include "recorder/certificates/certificate.h"

namespace gordian {

inline Validity ThisHour() {
  const int64_t now_s = std::time(nullptr);
  return {.from_s = now_s - 60, .until_s = now_s + 3600};
}
inline Validity LongPast() {
  const int64_t now_s = std::time(nullptr);
  return {.from_s = now_s - 7200, .until_s = now_s - 3600};
}

class TestAuthority {
 public:
  // Writes its files below `directory`, their names beginning with `prefix`.
  explicit TestAuthority(const std::string& directory, const std::string& prefix = "")
      : base_(directory + "/" + prefix) {
    Validity validity = ThisHour();
    validity.until_s += 60;
    auto made = MakeAuthority("test authority", validity);
    EXPECT_TRUE(made.ok()) << made.status();
    pair_ = *std::move(made);
    Write(base_ + "ca.pem", pair_.certificate);
  }

  TlsFiles Issue(HolderKind kind, const std::string& name, Validity validity = ThisHour()) const {
    const auto pair = IssueCertificate(pair_, {.kind = kind,
                                               .name = name,
                                               .addresses = {"127.0.0.1", "localhost"},
                                               .validity = validity});
    EXPECT_TRUE(pair.ok()) << pair.status();
    TlsFiles files = {base_ + name + ".pem", base_ + name + ".key", base_ + "ca.pem"};
    Write(files.certificate, pair->certificate);
    Write(files.key, pair->key);
    return files;
  }

  const PemPair& pair() const { return pair_; }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    chmod(path.c_str(), 0600);
  }

 private:
  const std::string base_;
  PemPair pair_;
};

// The contents of `files`, unchecked.
inline TlsIdentity Contents(const TlsFiles& files) {
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  return {.certificate_pem = text(files.certificate),
          .key_pem = text(files.key),
          .authority_pem = text(files.authority)};
}

}  // namespace gordian
