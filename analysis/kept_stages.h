// SPDX-License-Identifier: Apache-2.0
// A recording's timeline and sums of windows in the store (analyzer/kept): to analyze it again with
// other options, or only a part of it, takes no reading and no sweep.
//
// Of one node's recording, or of many nodes joined.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "analysis/recording.h"
#include "analysis/recording_key.h"
#include "analyzer/kept/kept_sums.h"
#include "analyzer/sums/window_sums.h"
#include "analyzer/timeline/column_memory.h"
#include "store/store.h"

namespace gordian {

class KeptStages {
 public:
  // Of a folder as ReadRecording takes it; `program` as for KeptReport.
  KeptStages(Store store, std::string directory, std::string program);

  // Nothing if it is not kept, or its entry is damaged.
  std::optional<LoadedRecording> FindRecording(const ColumnMemory& memory) const;
  // Of the whole recording, with that option of Waits.
  std::optional<KeptSums> FindSums(bool merge_short_lived) const;

  // Not if the recording has changed since this object was made: the result may be of either state.
  absl::Status KeepRecording(const LoadedRecording& recording) const;
  absl::Status KeepSums(const WindowSumsView& sums, bool merge_short_lived) const;

 private:
  StoreKey TimelineKey() const;
  StoreKey SumsKey(bool merge_short_lived) const;

  Store store_;
  std::string directory_;
  std::string program_;
  std::optional<RecordingKey> key_;  // nothing: nothing is kept
};

}  // namespace gordian
