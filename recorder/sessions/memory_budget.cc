// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/memory_budget.h"

#include "absl/strings/str_cat.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Measured on Linux 6.1 with two CPUs: 15 MiB beside the rings, most of it the table of roles.
constexpr uint64_t kTablesBytes = 16u << 20;
constexpr uint64_t kDrainBytesPerCpu = 256u << 10;
// For the daemon's own work: answers, blocks being written, tables that grow.
constexpr uint64_t kLeftAloneBytes = 32u << 20;
// By design-stacks.md: the kernel's table, numbers, frames, processes.
constexpr uint64_t kStackTablesBytes = 64u << 20;

}  // namespace

uint64_t SessionMemoryBytes(const RecordingOptions& options, uint32_t cpus) {
  return kTablesBytes + (options.stacks == StackChoice::kOff ? 0 : kStackTablesBytes) +
         cpus * (options.kernel_ring_bytes_per_cpu + kDrainBytesPerCpu);
}

absl::Status AdmitMemory(const std::optional<MemoryLimit>& limit, uint64_t starting_bytes,
                         uint64_t needed_bytes) {
  if (!limit) return absl::OkStatus();
  if (needed_bytes + starting_bytes + kLeftAloneBytes <= limit->left_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the session needs ", FormatSize(needed_bytes), " of memory, and of gordiand's ",
      FormatSize(limit->limit_bytes), " only ", FormatSize(limit->left_bytes), " are left (",
      FormatSize(kLeftAloneBytes), " of them are kept); ask for smaller rings with --kernel-ring, ",
      "stop a session, or raise MemoryMax= (systemctl edit gordiand)"));
}

}  // namespace gordian
