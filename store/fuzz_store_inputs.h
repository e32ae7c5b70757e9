// SPDX-License-Identifier: Apache-2.0
// The kinds of input to fuzz_store; the first byte chooses one for the rest.
#pragma once

#include <cstdint>

namespace gordian {

enum class StoreInput : uint8_t {
  kFile = 0,   // an entry's whole file
  kTable = 1,  // its table, behind a few pages of content and a header that agrees
};

// The content in front of a table of kTable.
inline constexpr uint64_t kStoreInputPages = 4;

}  // namespace gordian
