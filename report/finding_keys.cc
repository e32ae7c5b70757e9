// SPDX-License-Identifier: Apache-2.0
#include "report/finding_keys.h"

#include <utility>

namespace gordian {

VertexKeys KeysOf(const pb::Report& report) {
  VertexKeys keys;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    // A pool that shrinks to one thread is still the same pool.
    const std::string kind = vertex.kind() == "group" ? "thread" : vertex.kind();
    keys[vertex.id()] = {vertex.name(), vertex.process(), kind};
  }
  return keys;
}

FindingKey KeyOf(const pb::Finding& finding, const VertexKeys& keys) {
  FindingKey key{finding.kind(), {}};
  for (const uint32_t member : finding.members()) {
    const auto found = keys.find(member);
    if (found != keys.end()) key.members.insert(found->second);
  }
  return key;
}

}  // namespace gordian
