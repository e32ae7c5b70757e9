// SPDX-License-Identifier: Apache-2.0
// Programs that end: a build, a batch, a loop of a shell. Their throughput is their end, so the
// gain of a change is the recorded time over the replayed one.
#pragma once

#include "schema/whatif.pb.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/named_progress.h"
#include "whatif/edit/edit.h"

namespace gordian {

// Processes that begin and end do most of the work, or all of them ended with their root within the
// recording. (Not if it slept for most of its time, and so ends by the clock.)
bool IsJob(const AnalyzedRecording& recording);
NamedProgress JobProgress(const AnalyzedRecording& recording);

// More of a job's processes at a time: who begins them goes on with the next before that one has
// ended. That is what `--add-thread` of processes means that come one after another, as each is one
// thread from its beginning to its end. Whether that was meant.
bool BeginMoreAtOnce(const AnalyzedRecording& recording, Changes& changes);

// Of an answer about a job. Its ends become those of the whole job, if the recording paused.
void TellJob(const AnalyzedRecording& recording, pb::WhatIf& answer);
// Once more, after its ends have moved.
void TellJobTimes(pb::WhatIf& answer);
// "12.1 s → 6.9 s".
std::string JobTimesText(const pb::WhatIfJob& job);

}  // namespace gordian
