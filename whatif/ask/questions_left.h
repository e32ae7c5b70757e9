// SPDX-License-Identifier: Apache-2.0
// One question in so many is left, of those to threads: the replay of threads knows all or none.
// Inner to the library.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "whatif/ask/ask.h"
#include "whatif/edit/edit.h"
#include "whatif/replay/replay.h"

namespace gordian {

// One in how many; 0: the changes leave no such question. FailedPrecondition if there are other
// changes beside that: how much of their gain is left is not known.
absl::StatusOr<uint32_t> OneInHowManyLeft(const AnalyzedRecording& recording,
                                          const Changes& changes);

// The changes without any such question.
Changes WithoutQuestions(Changes changes);

// What is left takes its share of the time as before, and all else as without questions. Of a rate
// that the longest of several busy times sets (a thread's own, its partner's, a lock's) that is at
// most what is gained: each of them shrinks in proportion, and the longest of them by less than the
// longest before.
ReplayResult WithQuestionsLeft(ReplayResult none_left, uint32_t one_in);

}  // namespace gordian
