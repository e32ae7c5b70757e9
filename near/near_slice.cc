// SPDX-License-Identifier: Apache-2.0
#include "near/near_slice.h"

#include "near/near_asker.h"
#include "near/near_sums.h"
#include "near/near_sweep.h"

namespace gordian {

absl::StatusOr<NearSlice> SliceAcross(const NearNodes& nodes, const NearSliceQuestion& question) {
  NearAsker asker(nodes);
  if (absl::Status status = asker.AskAbout(); !status.ok()) return status;
  NearSweep sweep(asker, question);
  if (absl::Status status = sweep.Begin(); !status.ok()) return status;
  sweep.Run();
  NearSlice slice = AddUp(asker, sweep, question);
  slice.costs = asker.TakeCosts();
  slice.notes = asker.TakeNotes();
  return slice;
}

}  // namespace gordian
