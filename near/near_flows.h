// SPDX-License-Identifier: Apache-2.0
// Flows as nodes tell each other of them.
#pragma once

#include <string>

#include "schema/near.pb.h"
#include "trace/trace_event.h"

namespace gordian {

// Tells flows apart: addresses and ports.
std::string KeyOfFlow(const FlowRecord& flow);
std::string KeyOfFlow(const pb::NearFlow& flow);
void ToldFlow(const FlowRecord& flow, pb::NearFlow& told);

}  // namespace gordian
