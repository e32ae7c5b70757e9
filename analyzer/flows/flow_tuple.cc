// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/flow_tuple.h"

namespace gordian {

FlowTuple FlowTuple::Mirrored() const {
  return {.source = destination,
          .destination = source,
          .source_port = destination_port,
          .destination_port = source_port,
          .protocol = protocol};
}

FlowTuple TupleOf(const FlowRecord& flow) {
  return {.source = {flow.family, flow.source},
          .destination = {flow.family, flow.destination},
          .source_port = flow.source_port,
          .destination_port = flow.destination_port,
          .protocol = flow.protocol};
}

}  // namespace gordian
