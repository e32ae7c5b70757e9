// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/start_request.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "recorder/recording/asked_options.h"
#include "recorder/sessions/session_name.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint64_t kSmallestKernelRingBytes = 4096;
constexpr uint64_t kLongestIrqThresholdNs = 3'600'000'000'000;

absl::Status SetSizes(const pb::StartRequest& request, const SessionLimits& limits,
                      RecordingOptions& options) {
  const uint64_t limit_bytes = limits.max_session_bytes;
  if (request.max_bytes() > limit_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        "asked for up to ", FormatSize(request.max_bytes()), ", this daemon allows ",
        FormatSize(limit_bytes), " per session; ask for less, or raise gordiand's --max-size"));
  }
  if (options.max_bytes == 0) options.max_bytes = limit_bytes;
  if (request.ring_bytes() > options.max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("asked for a ring of ", FormatSize(request.ring_bytes()),
                     ", and a session may take ", FormatSize(options.max_bytes),
                     "; ask for a smaller --ring, or raise gordiand's --max-size"));
  }
  // A ring never takes more than its size, and would end at a second limit before it gave way.
  if (options.ring_bytes != 0) options.max_bytes = 0;
  return absl::OkStatus();
}

absl::Status SetTimes(const pb::StartRequest& request, const SessionLimits& limits,
                      RecordingOptions& options) {
  if (request.duration_ns() > limits.max_duration_ns) {
    return absl::OutOfRangeError(
        absl::StrCat("asked for ", FormatDuration(request.duration_ns()), ", this daemon allows ",
                     FormatDuration(limits.max_duration_ns),
                     " per session; ask for less, or raise gordiand's --max-duration"));
  }
  if (request.duration_ns() == 0) {
    options.duration = absl::Nanoseconds(static_cast<int64_t>(limits.max_duration_ns));
  }
  const uint64_t interval_ns = request.resource_interval_ns();
  if (interval_ns != 0 &&
      (interval_ns < kShortestResourceIntervalNs || interval_ns > kLongestResourceIntervalNs)) {
    return absl::OutOfRangeError("the resource interval must be from 50ms to 1h");
  }
  if (request.irq_threshold_ns() > kLongestIrqThresholdNs) {
    return absl::OutOfRangeError("the interrupt threshold must be 1h at most");
  }
  return absl::OkStatus();
}

absl::Status SetKernelRing(const pb::StartRequest& request, const SessionLimits& limits,
                           RecordingOptions& options) {
  if (!request.has_kernel_ring_bytes_per_cpu()) {
    const uint64_t most = std::bit_floor(limits.max_kernel_ring_bytes_per_cpu);
    options.kernel_ring_bytes_per_cpu = std::min(options.kernel_ring_bytes_per_cpu, most);
    return absl::OkStatus();
  }
  const uint64_t bytes = request.kernel_ring_bytes_per_cpu();
  if (!std::has_single_bit(bytes) || bytes < kSmallestKernelRingBytes) {
    return absl::InvalidArgumentError("a kernel ring's size is a power of two, 4K at least");
  }
  if (bytes <= limits.max_kernel_ring_bytes_per_cpu) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("asked for kernel rings of ", FormatSize(bytes),
                                            " per CPU, this daemon allows ",
                                            FormatSize(limits.max_kernel_ring_bytes_per_cpu)));
}

absl::Status CheckTargets(const TargetChoice& targets) {
  for (const int32_t pid : targets.pids) {
    if (pid <= 0) return absl::InvalidArgumentError(absl::StrCat(pid, " is no process id"));
  }
  if (targets.only && targets.empty()) {
    return absl::InvalidArgumentError(
        "--only needs a target: add --pid, --comm, --unit or --container");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordingOptions> CheckedOptions(const pb::StartRequest& request,
                                                const SessionLimits& limits) {
  if (absl::Status status = CheckSessionName(request.name()); !status.ok()) return status;
  absl::StatusOr<RecordingOptions> options = OptionsAskedFor(request);
  if (!options.ok()) return options.status();
  if (options->sample_hz > 10'000)
    return absl::OutOfRangeError("running threads can be sampled 10000 times a second at most");
  if (options->budget_share >= 1)
    return absl::OutOfRangeError("the budget must be less than all of the CPUs' time");
  if (absl::Status status = CheckCountedCalls(options->counted_calls); !status.ok()) return status;
  if (absl::Status status = SetSizes(request, limits, *options); !status.ok()) return status;
  if (absl::Status status = SetTimes(request, limits, *options); !status.ok()) return status;
  if (absl::Status status = SetKernelRing(request, limits, *options); !status.ok()) return status;
  if (absl::Status status = CheckTargets(options->targets); !status.ok()) return status;
  return options;
}

}  // namespace gordian
