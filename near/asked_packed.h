// SPDX-License-Identifier: Apache-2.0
// A question to a node and its answer, packed on the way (packed_message.h) where the node can.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "near/near_slice.h"
#include "schema/near.pb.h"

namespace gordian {

struct MovedBytes {
  uint64_t asked = 0;
  uint64_t answered = 0;
};

// Adds what was moved. `takes_packed`: the node has said so (NearAbout); its answer may come packed
// without that.
absl::StatusOr<pb::NearAnswer> AskPacked(const NearNodes& nodes, size_t node,
                                         const pb::NearQuestion& question, bool takes_packed,
                                         MovedBytes& moved);

}  // namespace gordian
