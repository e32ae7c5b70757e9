// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/asked_options.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

absl::Duration Span(uint64_t span_ns) {
  return absl::Nanoseconds(static_cast<int64_t>(std::min<uint64_t>(span_ns, INT64_MAX)));
}

TargetChoice TargetsAskedFor(const pb::StartRequest& request) {
  return {.pids = {request.pids().begin(), request.pids().end()},
          .comms = {request.comms().begin(), request.comms().end()},
          .cgroups = {request.cgroups().begin(), request.cgroups().end()},
          .named = {.pods = {request.pods().begin(), request.pods().end()},
                    .containers = {request.containers().begin(), request.containers().end()},
                    .units = {request.units().begin(), request.units().end()}},
          .only = request.only()};
}

}  // namespace

absl::StatusOr<RecordingOptions> OptionsAskedFor(const pb::StartRequest& request) {
  const absl::StatusOr<AttachChoice> attach = ParseAttachChoice(request.attach());
  if (!attach.ok()) return attach.status();
  const absl::StatusOr<StackChoice> stacks = ParseStackChoice(request.stacks());
  if (!stacks.ok()) return stacks.status();
  RecordingOptions options;
  options.name = request.name();
  options.attach = *attach;
  options.targets = TargetsAskedFor(request);
  options.ring_bytes = request.ring_bytes();
  options.max_bytes = request.max_bytes();
  if (request.duration_ns() != 0) options.duration = Span(request.duration_ns());
  if (request.resource_interval_ns() != 0) {
    options.resource_interval = Span(request.resource_interval_ns());
  }
  if (request.has_kernel_ring_bytes_per_cpu()) {
    options.kernel_ring_bytes_per_cpu = request.kernel_ring_bytes_per_cpu();
  }
  if (request.has_irq_threshold_ns()) options.irq_threshold = Span(request.irq_threshold_ns());
  options.stacks = *stacks;
  options.sample_hz = request.sample_hz();
  options.budget_share = request.budget_ppm() / 1e6;
  if (request.has_pause_timetable()) {
    const pb::PauseTimetable& asked = request.pause_timetable();
    options.pause_timetable.emplace(asked.seed(), asked.slot_ns());
  }
  options.counted_calls.assign(request.counted_calls().begin(), request.counted_calls().end());
  for (const std::string& kind : request.local_messages()) {
    const bool all = kind == "all";
    if (!all && kind != "sockets" && kind != "pipes")
      return absl::InvalidArgumentError(absl::StrCat(
          "'", absl::CHexEscape(kind), "' are no local messages; ask for sockets, pipes or all"));
    options.local_messages.sockets |= all || kind == "sockets";
    options.local_messages.pipes |= all || kind == "pipes";
  }
  options.commands = !request.no_commands();
  return options;
}

}  // namespace gordian
