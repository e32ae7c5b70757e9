// SPDX-License-Identifier: Apache-2.0
#include "report/in_scope.h"

namespace gordian {

std::vector<char> InScope(const pb::Report& report) {
  std::vector<char> in_scope(static_cast<size_t>(report.vertices_size()));
  const auto add = [&](const auto& ids) {
    for (const uint32_t id : ids) {
      if (id < in_scope.size()) in_scope[id] = 1;
    }
  };
  add(report.scope().vertices());
  for (const pb::Finding& finding : report.findings()) {
    if (!finding.apart()) add(finding.members());
  }
  return in_scope;
}

}  // namespace gordian
