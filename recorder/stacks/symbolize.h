// SPDX-License-Identifier: Apache-2.0
// Looks for the names of the code in a session's stacks again: with debug files that were installed
// since, on another machine, or because the recorder was killed before it could.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "symbols/symbols.h"
#include "trace/own_folder.h"

namespace gordian {

struct SymbolizeResult {
  uint64_t stacks = 0;
  uint64_t frames = 0;
  uint64_t named_frames = 0;
  std::vector<std::string> notes;
};

// Replaces the session's symbols.pb.zst. Names that are known and cannot be found again are kept.
// FailedPrecondition if the session holds no stacks.
absl::StatusOr<SymbolizeResult> SymbolizeSession(const std::string& directory,
                                                 const SymbolPaths& paths = {
                                                     .cache = CacheFolder()});

}  // namespace gordian
