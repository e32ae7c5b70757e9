// What a report says of the recording itself.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// What the session says of itself. How long it is, and how much was lost, the findings fill in.
pb::RecordingSummary SummarizeRecording(const Timeline& timeline);

}  // namespace gordian
