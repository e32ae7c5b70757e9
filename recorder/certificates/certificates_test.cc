// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder/certificates/authority.h"
#include "recorder/certificates/certificate.h"
#include "recorder/certificates/test_certificates.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CertificatesTest : public ::testing::Test {
 protected:
  static std::string Refusal(const TlsFiles& files, TlsPurpose purpose) {
    return std::string(LoadTlsIdentity(files, purpose).status().message());
  }
  TestDirectory directory_;
  const TestAuthority authority_ = TestAuthority(directory_.path());
};

TEST_F(CertificatesTest, ANodesCertificateServesAndAsks) {
  const TlsFiles files = authority_.Issue(HolderKind::kNode, "node1");
  const auto server = LoadTlsIdentity(files, TlsPurpose::kServer);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ(server->facts.common_name, "node1");
  EXPECT_THAT(server->facts.dns_names, ElementsAre("localhost"));
  EXPECT_THAT(server->facts.uris, IsEmpty());
  EXPECT_TRUE(LoadTlsIdentity(files, TlsPurpose::kClient).ok());
}

TEST_F(CertificatesTest, APersonsCertificateTellsTheRoleAndCannotServe) {
  const TlsFiles files = authority_.Issue(HolderKind::kOperator, "alice");
  const auto client = LoadTlsIdentity(files, TlsPurpose::kClient);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_THAT(client->facts.uris, ElementsAre(kOperatorUri));
  EXPECT_THAT(Refusal(files, TlsPurpose::kServer), HasSubstr("purpose"));
  const auto viewer =
      LoadTlsIdentity(authority_.Issue(HolderKind::kViewer, "bob"), TlsPurpose::kClient);
  ASSERT_TRUE(viewer.ok()) << viewer.status();
  EXPECT_THAT(viewer->facts.uris, ElementsAre(kViewerUri));
}

TEST_F(CertificatesTest, SerialsAndKeysAreNeverTheSame) {
  const auto first = Contents(authority_.Issue(HolderKind::kViewer, "one"));
  const auto second = Contents(authority_.Issue(HolderKind::kViewer, "two"));
  EXPECT_NE(ReadCertificate(first.certificate_pem)->serial,
            ReadCertificate(second.certificate_pem)->serial);
  EXPECT_NE(first.key_pem, second.key_pem);
}

TEST_F(CertificatesTest, WhatIsWrongWithTheFilesIsSaid) {
  const TlsFiles good = authority_.Issue(HolderKind::kNode, "node1");
  const TlsFiles other = authority_.Issue(HolderKind::kNode, "node2");
  const TestAuthority stranger(directory_.path(), "stranger-");
  const TlsFiles foreign = stranger.Issue(HolderKind::kNode, "node3");
  const TlsFiles expired = authority_.Issue(HolderKind::kNode, "old", LongPast());

  EXPECT_THAT(Refusal({good.certificate, other.key, good.authority}, TlsPurpose::kServer),
              HasSubstr("is not the key of"));
  EXPECT_THAT(Refusal({good.certificate, good.key, foreign.authority}, TlsPurpose::kServer),
              HasSubstr("is not good with"));
  EXPECT_THAT(Refusal(expired, TlsPurpose::kServer), HasSubstr("expired"));
  EXPECT_THAT(Refusal({good.key, good.key, good.authority}, TlsPurpose::kServer),
              HasSubstr("no certificate in it"));
  EXPECT_THAT(Refusal({"/nowhere", good.key, good.authority}, TlsPurpose::kServer),
              HasSubstr("/nowhere: No such file"));
  chmod(good.key.c_str(), 0640);
  EXPECT_THAT(Refusal(good, TlsPurpose::kServer), HasSubstr("chmod 600 " + good.key));
}

TEST_F(CertificatesTest, WhatCannotBeACertificateIsRefused) {
  const auto issue = [&](CertificateRequest request) {
    if (request.validity.until_s == 0) request.validity = ThisHour();
    return std::string(IssueCertificate(authority_.pair(), request).status().message());
  };
  EXPECT_THAT(issue({.kind = HolderKind::kViewer, .name = "a,URI:gordian:role/operator"}),
              HasSubstr("cannot be the name"));
  EXPECT_THAT(issue({.kind = HolderKind::kNode, .name = "n", .addresses = {"h,DNS:evil"}}),
              HasSubstr("cannot be the name"));
  EXPECT_THAT(issue({.kind = HolderKind::kNode, .name = "n", .addresses = {"h:80"}}),
              HasSubstr("without a port"));
  EXPECT_THAT(issue({.kind = HolderKind::kNode, .name = "n"}), HasSubstr("reached by"));
  Validity late = ThisHour();
  late.until_s += 86'400;
  EXPECT_THAT(issue({.name = "n", .validity = late}), HasSubstr("fewer --days"));
  const TestAuthority stranger(directory_.path(), "stranger-");
  const PemPair mixed = {authority_.pair().certificate, stranger.pair().key};
  EXPECT_FALSE(IssueCertificate(mixed, {.name = "n", .validity = ThisHour()}).ok());
}

TEST(Certificate, GarbageIsNoCertificate) {
  EXPECT_FALSE(ReadCertificate("").ok());
  EXPECT_FALSE(
      ReadCertificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").ok());
}

}  // namespace
}  // namespace gordian
