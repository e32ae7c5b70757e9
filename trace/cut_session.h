// SPDX-License-Identifier: Apache-2.0
// Cuts a stretch of time out of a session, as a session of its own: what a recorder would have
// written that began and ended then.
//
// The cut has every event of the stretch, and the identity of all threads that lived when it
// begins. What numbers of flows, stacks and waited-for things mean is often told once, long before:
// those meanings are copied. It does not know what threads did before it, so a wait that began
// earlier has no beginning in it. Samples of resources are copied by whole blocks.
//
// The session may still grow, or be a flight recorder's whose segments go meanwhile: blocks that
// have gone are told as missing. All blocks before the stretch are decoded; of those within only
// the ones at its borders.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace gordian {

struct SessionCut {
  uint64_t from_ns = 0;  // what there was of the stretch
  uint64_t to_ns = 0;
  uint64_t events = 0;
  uint64_t bytes = 0;
  uint64_t unreadable_blocks = 0;  // left out: damaged, or gone before they were read
};

// Events of [from_ns, to_ns), by the clock of the session's times. The new folder `out` is written
// aside and renamed; it may be there if it is empty. On failure nothing stays. The statuses of
// SessionReader::Open; InvalidArgument if nothing was recorded then; AlreadyExists if something is
// in `out`; ResourceExhausted if the disk is full.
absl::StatusOr<SessionCut> CutSession(const std::string& directory, uint64_t from_ns,
                                      uint64_t to_ns, const std::string& out);

}  // namespace gordian
