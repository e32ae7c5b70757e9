// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/kernel_options.h"

#include <unistd.h>

#include <optional>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

std::optional<Backend> ChosenBackend(AttachChoice choice) {
  switch (choice) {
    case AttachChoice::kAuto:
      return std::nullopt;
    case AttachChoice::kTracepoint:
      return Backend::kTracepoint;
    case AttachChoice::kKprobe:
      return Backend::kKprobe;
    case AttachChoice::kFentry:
      return Backend::kFentry;
  }
  return std::nullopt;
}

gd_stack_mode KernelStackMode(StackChoice choice) {
  switch (choice) {
    case StackChoice::kOff:
      return GD_STACKS_OFF;
    case StackChoice::kSampled:
      return GD_STACKS_SAMPLED;
    case StackChoice::kAll:
      return GD_STACKS_ALL;
  }
  return GD_STACKS_OFF;
}

}  // namespace

uint64_t Ns(absl::Duration duration) {
  return static_cast<uint64_t>(absl::ToInt64Nanoseconds(duration));
}

absl::Status CheckOptions(const RecordingOptions& options) {
  const uint64_t ring = options.kernel_ring_bytes_per_cpu;
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (ring < page || (ring & (ring - 1)) != 0 || ring > (1u << 30))
    return absl::InvalidArgumentError(absl::StrCat("the kernel ring of ", ring,
                                                   " bytes must be a power of two from ", page,
                                                   " bytes to 1 GiB"));
  if (options.resource_interval < absl::Nanoseconds(kShortestResourceIntervalNs))
    return absl::InvalidArgumentError("resources can be sampled every 50ms at most");
  if (options.flush_interval < absl::Milliseconds(10) || options.flush_interval > absl::Seconds(1))
    return absl::InvalidArgumentError("the flush interval must be from 10ms to 1s");
  if (options.sample_hz > 10'000)
    return absl::InvalidArgumentError(
        "running threads can be sampled 10000 times a second at most");
  if (!(options.budget_share >= 0) || options.budget_share >= 1)
    return absl::InvalidArgumentError("the budget must be less than all of the CPUs' time");
  return CheckCountedCalls(options.counted_calls);
}

KernelOptions KernelOptionsOf(const RecordingOptions& options) {
  KernelOptions kernel;
  kernel.backend = ChosenBackend(options.attach);
  kernel.ring_bytes_per_cpu = options.kernel_ring_bytes_per_cpu;
  kernel.irq_threshold_ns = Ns(options.irq_threshold);
  kernel.stacks = KernelStackMode(options.stacks);
  kernel.stack_budget_ns = Ns(options.stack_budget);
  kernel.sample_hz = options.sample_hz;
  kernel.counted_calls = options.counted_calls;
  kernel.local_messages = options.local_messages;
  kernel.commands = options.commands;
  kernel.only_targets = options.targets.only;
  kernel.target_comms = options.targets.comms;
  kernel.test_window_rounds = options.test_window_rounds;
  return kernel;
}

}  // namespace gordian
