// SPDX-License-Identifier: Apache-2.0
// symbols.pb.zst of a session: the names of the code in its stacks, one zstd frame around one
// pb::Symbols. Most of it says the same of many processes, and shrinks to a tenth.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/symbols.pb.h"

namespace gordian {

inline constexpr const char* kSymbolsFile = "symbols.pb.zst";
// The message without a frame, as it was written before: still read where there is no other.
inline constexpr const char* kPlainSymbolsFile = "symbols.pb";
inline constexpr uint64_t kMaxSymbolsBytes = uint64_t{1} << 30;

// The symbols in `directory`; NotFound if there is neither file. In the result every index is
// within its table, and text [0] exists and is empty, for any contents of the file. DataLoss if
// they cannot be mended to that.
absl::StatusOr<pb::Symbols> ReadSymbols(const std::string& directory);

// The future contents of the file.
absl::StatusOr<std::string> PackSymbols(const pb::Symbols& symbols);

// Replaces symbols.pb.zst in one step; a plain one goes.
absl::Status WritePackedSymbols(const std::string& directory, const std::string& packed);
absl::Status WriteSymbols(const std::string& directory, const pb::Symbols& symbols);

}  // namespace gordian
