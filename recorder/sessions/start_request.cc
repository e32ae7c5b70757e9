#include "recorder/sessions/start_request.h"

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "recorder/sessions/session_name.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint64_t kSmallestKernelRingBytes = 4096;
constexpr uint64_t kShortestIntervalNs = 50'000'000;
constexpr uint64_t kLongestIntervalNs = 3'600'000'000'000;

absl::StatusOr<AttachChoice> ParseAttach(const std::string& text) {
  if (text.empty() || text == "auto") return AttachChoice::kAuto;
  if (text == "tracepoint") return AttachChoice::kTracepoint;
  if (text == "kprobe") return AttachChoice::kKprobe;
  if (text == "fentry") return AttachChoice::kFentry;
  return absl::InvalidArgumentError(absl::StrCat("no attach backend is called '",
                                                 absl::CHexEscape(text),
                                                 "'; use auto, tracepoint, kprobe or fentry"));
}

absl::Status SetSizes(const pb::StartRequest& request, const SessionLimits& limits,
                      RecordingOptions& options) {
  const uint64_t limit_bytes = limits.max_session_bytes;
  if (request.max_bytes() > limit_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        "asked for up to ", FormatSize(request.max_bytes()), ", this daemon allows ",
        FormatSize(limit_bytes), " per session; ask for less, or raise gordiand's --max-size"));
  }
  options.max_bytes = request.max_bytes() != 0 ? request.max_bytes() : limit_bytes;
  if (request.ring_bytes() > options.max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("asked for a ring of ", FormatSize(request.ring_bytes()),
                     ", and a session may take ", FormatSize(options.max_bytes),
                     "; ask for a smaller --ring, or raise gordiand's --max-size"));
  }
  options.ring_bytes = request.ring_bytes();
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
  const uint64_t duration_ns =
      request.duration_ns() != 0 ? request.duration_ns() : limits.max_duration_ns;
  options.duration = absl::Nanoseconds(static_cast<int64_t>(duration_ns));
  if (const uint64_t interval_ns = request.resource_interval_ns(); interval_ns != 0) {
    if (interval_ns < kShortestIntervalNs || interval_ns > kLongestIntervalNs) {
      return absl::OutOfRangeError("the resource interval must be from 50ms to 1h");
    }
    options.resource_interval = absl::Nanoseconds(static_cast<int64_t>(interval_ns));
  }
  if (request.irq_threshold_ns() > kLongestIntervalNs) {
    return absl::OutOfRangeError("the interrupt threshold must be 1h at most");
  }
  if (request.irq_threshold_ns() != 0) {
    options.irq_threshold = absl::Nanoseconds(static_cast<int64_t>(request.irq_threshold_ns()));
  }
  return absl::OkStatus();
}

absl::Status SetKernelRing(const pb::StartRequest& request, const SessionLimits& limits,
                           RecordingOptions& options) {
  const uint64_t bytes = request.kernel_ring_bytes_per_cpu();
  if (bytes == 0) return absl::OkStatus();
  if (!std::has_single_bit(bytes) || bytes < kSmallestKernelRingBytes) {
    return absl::InvalidArgumentError("a kernel ring's size is a power of two, 4K at least");
  }
  if (bytes > limits.max_kernel_ring_bytes_per_cpu) {
    return absl::OutOfRangeError(absl::StrCat("asked for kernel rings of ", FormatSize(bytes),
                                              " per CPU, this daemon allows ",
                                              FormatSize(limits.max_kernel_ring_bytes_per_cpu)));
  }
  options.kernel_ring_bytes_per_cpu = bytes;
  return absl::OkStatus();
}

absl::Status SetTargets(const pb::StartRequest& request, RecordingOptions& options) {
  TargetChoice& targets = options.targets;
  targets.pids.assign(request.pids().begin(), request.pids().end());
  targets.comms.assign(request.comms().begin(), request.comms().end());
  targets.cgroups.assign(request.cgroups().begin(), request.cgroups().end());
  targets.only = request.only();
  for (const int32_t pid : targets.pids) {
    if (pid <= 0) return absl::InvalidArgumentError(absl::StrCat(pid, " is no process id"));
  }
  if (targets.only && targets.pids.empty() && targets.comms.empty() && targets.cgroups.empty()) {
    return absl::InvalidArgumentError("--only needs a target: add --pid, --comm or --cgroup");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordingOptions> CheckedOptions(const pb::StartRequest& request,
                                                const SessionLimits& limits) {
  RecordingOptions options;
  if (absl::Status status = CheckSessionName(request.name()); !status.ok()) return status;
  options.name = request.name();
  const absl::StatusOr<StackChoice> stacks = ParseStackChoice(request.stacks());
  if (!stacks.ok()) return stacks.status();
  const absl::StatusOr<AttachChoice> attach = ParseAttach(request.attach());
  if (!attach.ok()) return attach.status();
  options.attach = *attach;
  options.stacks = *stacks;
  if (request.sample_hz() > 10'000)
    return absl::OutOfRangeError("running threads can be sampled 10000 times a second at most");
  options.sample_hz = request.sample_hz();
  options.budget_share = request.budget_ppm() / 1e6;
  if (options.budget_share >= 1)
    return absl::OutOfRangeError("the budget must be less than all of the CPUs' time");
  options.counted_calls.assign(request.counted_calls().begin(), request.counted_calls().end());
  if (absl::Status status = CheckCountedCalls(options.counted_calls); !status.ok()) return status;
  if (absl::Status status = SetSizes(request, limits, options); !status.ok()) return status;
  if (absl::Status status = SetTimes(request, limits, options); !status.ok()) return status;
  if (absl::Status status = SetKernelRing(request, limits, options); !status.ok()) return status;
  if (absl::Status status = SetTargets(request, options); !status.ok()) return status;
  return options;
}

}  // namespace gordian
