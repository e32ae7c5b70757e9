// Limits in words: the title, why, and what one would try.
#pragma once

#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/target.h"
#include "analyzer/findings/words.h"
#include "schema/report.pb.h"

namespace gordian {

// knot, sink, sleep, starvation, device, background. Somebody outside counts as a sink.
const char* KindName(LimitKind kind);

// A thread of a user outside of the target: a load generator, say. Not devices, not the kernel.
bool IsOutsider(const Measures& measures, const Target& target, uint32_t vertex);

// Fills title, why and advice. `others_recorded`: what others than the target did is in the
// recording.
void Word(const Measures& measures, const VertexWords& words, const Target& target,
          const Limit& limit, bool others_recorded, pb::Finding& finding);

}  // namespace gordian
