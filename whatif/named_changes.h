// Changes as a person writes them, and the vertices they name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/call_paths.h"
#include "whatif/replay.h"
#include "whatif/whatif.h"

namespace gordian {

struct NamedChanges {
  Changes changes;
  std::vector<RemovedEdge> removed;  // waits that are gone, those for a disk's kernel threads too
  std::vector<pb::WhatIfChange> texts;
};

absl::StatusOr<NamedChanges> ReadChanges(const AnalyzedRecording& recording,
                                         const WhatIfRequest& request);

// The one vertex of that name, or the one of them in the report's scope. NotFound if there is none,
// InvalidArgument if there are several.
absl::StatusOr<uint32_t> FindVertex(const pb::Report& report, std::string_view name);

// Progress as a person writes it, `what` in words.
struct NamedProgress {
  std::vector<ProgressMark> marks;
  std::string what;
};
NamedProgress DefaultProgress(const AnalyzedRecording& recording);
absl::StatusOr<NamedProgress> ReadProgress(const AnalyzedRecording& recording,
                                           const std::string& text, SessionReader& session);

}  // namespace gordian
