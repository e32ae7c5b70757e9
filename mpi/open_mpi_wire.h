// SPDX-License-Identifier: Apache-2.0
// Ranks that mpirun or srun started. Nothing else of the house knows MPI.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/wire.h"

namespace gordian {

// Begins MPI. One for the process; without mpirun it is the only rank.
absl::StatusOr<std::unique_ptr<Wire>> OpenMpiWire();
// How many ranks this machine has.
int RanksOfThisMachine();
// Behind the last use of the wire. All ranks come here, and wait for each other.
void EndMpi();
// Ends all ranks at once.
[[noreturn]] void AbortMpi(int exit_code);

}  // namespace gordian
