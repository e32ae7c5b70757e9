// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/certificate_caller.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(CertificateRoles, CertificatesSayItThemselves) {
  EXPECT_EQ(RoleOf({.uris = {kOperatorUri}}, {}), Role::kOperator);
  EXPECT_EQ(RoleOf({.uris = {"x:y", kViewerUri}}, {}), Role::kViewer);
  EXPECT_EQ(RoleOf({.common_name = kOperatorUri}, {}), Role::kNone);
  EXPECT_EQ(RoleOf({.dns_names = {kOperatorUri}}, {}), Role::kNone);
  EXPECT_EQ(RoleOf({.uris = {"gordian:role/operators"}}, {}), Role::kNone);
}

TEST(CertificateRoles, AsSoonAsThereIsAListOnlyListsCount) {
  const RoleRules rules = {.operators = {"CN:alice", "URI:spiffe://x/ops"}, .viewers = {"DNS:bob"}};
  EXPECT_EQ(RoleOf({.common_name = "alice"}, rules), Role::kOperator);
  EXPECT_EQ(RoleOf({.uris = {"spiffe://x/ops"}}, rules), Role::kOperator);
  EXPECT_EQ(RoleOf({.dns_names = {"bob"}}, rules), Role::kViewer);
  EXPECT_EQ(RoleOf({.common_name = "bob", .dns_names = {"alice"}}, rules), Role::kNone);
  EXPECT_EQ(RoleOf({.uris = {kOperatorUri}}, rules), Role::kNone);
  EXPECT_EQ(RoleOf({.uris = {kOperatorUri}}, {.viewers = {"CN:bob"}}), Role::kNone);
}

TEST(CertificateRoles, RulesMustNameSomething) {
  EXPECT_TRUE(CheckRoleRules({.operators = {"CN:a", "DNS:b", "URI:c:d"}}).ok());
  for (const char* rule : {"alice", "CN:", "OU:ops", "", ":x", "cn:a"}) {
    EXPECT_FALSE(CheckRoleRules({.viewers = {rule}}).ok()) << rule;
  }
}

}  // namespace
}  // namespace gordian
