// SPDX-License-Identifier: Apache-2.0
#include "near/near_flows.h"

#include "absl/strings/str_cat.h"

namespace gordian {

std::string KeyOfFlow(const FlowRecord& flow) {
  pb::NearFlow told;
  ToldFlow(flow, told);
  return KeyOfFlow(told);
}

std::string KeyOfFlow(const pb::NearFlow& flow) {
  return absl::StrCat(flow.family(), "/", flow.protocol(), "/", flow.source_port(), "/",
                      flow.destination_port(), "/", flow.source(), "/", flow.destination());
}

void ToldFlow(const FlowRecord& flow, pb::NearFlow& told) {
  const size_t bytes = flow.family == FlowFamily::kIpv6 ? 16 : 4;
  told.set_family(static_cast<uint32_t>(flow.family));
  told.set_protocol(flow.protocol);
  told.set_source_port(flow.source_port);
  told.set_destination_port(flow.destination_port);
  told.set_source(flow.source.data(), bytes);
  told.set_destination(flow.destination.data(), bytes);
}

}  // namespace gordian
