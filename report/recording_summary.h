// SPDX-License-Identifier: Apache-2.0
// The part of a report on the recording itself.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// The session's account of itself. The findings fill in its length and its losses.
pb::RecordingSummary SummarizeRecording(const Timeline& timeline);

}  // namespace gordian
