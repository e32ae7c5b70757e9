// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/certificate_caller.h"

#include <grpc/grpc_security_constants.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gordian {
namespace {

bool Contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool Names(const std::string& rule, const CertificateFacts& facts) {
  absl::string_view rest = rule;
  if (absl::ConsumePrefix(&rest, "CN:")) return facts.common_name == rest;
  if (absl::ConsumePrefix(&rest, "DNS:")) return Contains(facts.dns_names, std::string(rest));
  if (absl::ConsumePrefix(&rest, "URI:")) return Contains(facts.uris, std::string(rest));
  return false;
}

bool AnyNames(const std::vector<std::string>& rules, const CertificateFacts& facts) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const std::string& rule) { return Names(rule, facts); });
}

}  // namespace

absl::Status CheckRoleRules(const RoleRules& rules) {
  for (const auto* list : {&rules.operators, &rules.viewers}) {
    for (const std::string& rule : *list) {
      const size_t colon = rule.find(':');
      const std::string kind = rule.substr(0, colon);
      if (colon != std::string::npos && colon + 1 < rule.size() &&
          (kind == "CN" || kind == "DNS" || kind == "URI")) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat("'", rule, "' names no certificate; write CN:NAME, DNS:NAME or URI:URI"));
    }
  }
  return absl::OkStatus();
}

Role RoleOf(const CertificateFacts& facts, const RoleRules& rules) {
  const bool by_lists = !rules.operators.empty() || !rules.viewers.empty();
  if (by_lists ? AnyNames(rules.operators, facts) : Contains(facts.uris, kOperatorUri)) {
    return Role::kOperator;
  }
  if (by_lists ? AnyNames(rules.viewers, facts) : Contains(facts.uris, kViewerUri)) {
    return Role::kViewer;
  }
  return Role::kNone;
}

Caller CallerOf(const grpc::ServerContext& context, const RoleRules& rules) {
  Caller caller;
  caller.address = context.peer();
  const auto authenticated = context.auth_context();
  if (authenticated == nullptr || !authenticated->IsPeerAuthenticated()) return caller;
  const auto values = authenticated->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (values.size() != 1) return caller;
  const auto facts = ReadCertificate(std::string(values.front().data(), values.front().size()));
  if (!facts.ok()) return caller;
  caller.name = facts->common_name;
  caller.serial = facts->serial;
  caller.role = RoleOf(*facts, rules);
  return caller;
}

}  // namespace gordian
