// SPDX-License-Identifier: Apache-2.0
// What carries bytes from rank to rank: Open MPI (open_mpi_wire.h), or memory within one process
// (thread_wires.h). Ranks (ranks.h) makes messages of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

// Far below the 2 GiB that MPI's counts can tell. Two ranks hold a few of them at a time.
inline constexpr size_t kMostSlabBytes = size_t{1} << 20;

struct Slab {
  int from = 0;
  std::string bytes;
};

// One thread at a time.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns at once. Slabs from one rank to another arrive in their order. At most kMostSlabBytes.
  virtual absl::Status Send(int to, std::string slab) = 0;
  // The next one, of any rank; nothing if none is here.
  virtual absl::StatusOr<std::optional<Slab>> Receive() = 0;
  // Whether all that was sent has left.
  virtual absl::StatusOr<bool> HasSentAll() = 0;
};

}  // namespace gordian
