// SPDX-License-Identifier: Apache-2.0
// The graph itself as the report holds it.
#pragma once

#include "analyzer/findings/evidence/measures.h"
#include "analyzer/findings/evidence/scope.h"
#include "analyzer/findings/evidence/target.h"
#include "analyzer/model/model.h"
#include "schema/report.pb.h"
#include "words/vertex_labels.h"

namespace gordian {

// recording's numbers, threads, vertices and edges. A thread's id is that of its entity.
void WriteGraph(const WaitForGraph& recording, const Measures& measures, const VertexLabels& labels,
                const Scope& scope, const Target& target, pb::Report& report);

}  // namespace gordian
