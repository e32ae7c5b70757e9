// symbols.pb of a session: the names of the code in its stacks.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/symbols.pb.h"

namespace gordian {

inline constexpr const char* kSymbolsFile = "symbols.pb";
inline constexpr uint64_t kMaxSymbolsBytes = uint64_t{1} << 30;

// What `directory` holds; NotFound if there is no symbols.pb. Whatever the file holds, in what
// comes back every index is within its table and text [0] exists and is empty; DataLoss if it
// cannot be mended to that.
absl::StatusOr<pb::Symbols> ReadSymbols(const std::string& directory);

// Replaces symbols.pb in one step.
absl::Status WriteSymbols(const std::string& directory, const pb::Symbols& symbols);

}  // namespace gordian
