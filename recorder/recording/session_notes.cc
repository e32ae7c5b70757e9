// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/session_notes.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bpf/unwind_tables.h"
#include "recorder/attach/kernel_programs.h"
#include "recorder/recording/kernel_options.h"
#include "recorder/sources/clock.h"
#include "recorder/sources/host.h"
#include "recorder/sources/rights.h"
#include "trace/counters.h"
#include "trace/trace_event.h"
#include "words/command_line.h"

namespace gordian {
namespace {

constexpr int kMaxClockPairs = 64;

uint64_t NsOrZero(absl::Duration duration) {
  return duration == absl::InfiniteDuration() ? 0 : Ns(duration);
}

void DescribeOptions(const RecordingOptions& options, pb::Options& described) {
  described.set_attach(AttachChoiceText(options.attach));
  described.set_kernel_ring_bytes_per_cpu(options.kernel_ring_bytes_per_cpu);
  described.set_ring_bytes(options.ring_bytes);
  described.set_max_bytes(options.max_bytes);
  described.set_duration_ns(NsOrZero(options.duration));
  described.set_resource_interval_ns(NsOrZero(options.resource_interval));
  described.set_irq_threshold_ns(NsOrZero(options.irq_threshold));
  described.set_flush_interval_ns(NsOrZero(options.flush_interval));
  described.set_stacks(StackChoiceText(options.stacks));
  for (const std::string& call : options.counted_calls) described.add_counted_calls(call);
  if (options.local_messages.sockets) described.add_local_messages("sockets");
  if (options.local_messages.pipes) described.add_local_messages("pipes");
  described.set_commands(options.commands);
  described.set_budget_ppm(static_cast<uint32_t>(std::lround(options.budget_share * 1e6)));
  if (options.stacks != StackChoice::kOff) described.set_sample_hz(options.sample_hz);
}

// The user gave it, and whoever reads the recording did not.
std::vector<std::string> CommandToTell(const RecordingOptions& options) {
  if (!options.commands && !options.command.empty()) return {options.command.front()};
  return MaskSecrets(options.command);
}

// Interrupts without a number of the kernel's have one of ours: named like the others.
void NamePseudoIrqs(pb::Session& session) {
  const std::pair<uint32_t, const char*> names[] = {{GD_IRQ_LOCAL_TIMER, "local timer"},
                                                    {GD_IRQ_CALL_FUNCTION, "call function"},
                                                    {GD_IRQ_WORK, "irq work"}};
  for (const auto& [number, name] : names) {
    pb::Irq& irq = *session.add_irqs();
    irq.set_number(number);
    irq.set_name(name);
  }
}

// Programs' own words, which have the number of counted calls, are counted where they are read.
const char* RecordKindName(int kind) {
  return kind == GD_COUNTED_CALL ? "counted_call" : EventKindName(static_cast<EventKind>(kind));
}

void NoteLeftOut(const std::vector<LeftOut>& left_out, pb::Session& session) {
  session.clear_left_out();
  uint64_t all = 0;
  for (const LeftOut& program : left_out) {
    pb::LeftOut& told = *session.add_left_out();
    told.set_program(program.program);
    if (program.kind != 0) told.set_event(RecordKindName(program.kind));
    told.set_count(program.count);
    all += program.count;
  }
  SetCounter(session, "kernel_programs_skipped", all);
  const std::vector<uint64_t> by_kind = SumByKind(left_out);
  for (int kind = 1; kind < GD_KINDS; ++kind)
    if (by_kind[kind] > 0)
      SetCounter(session, absl::StrCat("records_left_out_", RecordKindName(kind)), by_kind[kind]);
}

}  // namespace

pb::Session DescribeRecording(const RecordingOptions& options, const KernelPrograms& programs,
                              uint64_t start_ns) {
  pb::Session session;
  std::filesystem::path directory = std::filesystem::path(options.directory).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();
  session.set_name(options.name.empty() ? directory.filename().string() : options.name);
  session.set_recorder_version(GORDIAN_VERSION);
  FillHost(SystemPaths{}, session);
  NamePseudoIrqs(session);
  session.set_backend(std::string(programs.backend()));
  for (const AttachedHook& hook : programs.hooks()) {
    pb::Hook& told = *session.add_hooks();
    told.set_event(hook.event);
    told.set_attached(hook.attached);
  }
  DescribeOptions(options, *session.mutable_options());
  session.set_chains_end_at_targets(options.targets.only);
  session.set_start_time_ns(start_ns);
  session.set_identities_tell_states(true);
  session.set_end_time_ns(start_ns);
  session.add_recorder_pids(getpid());
  for (const std::string& word : CommandToTell(options)) session.add_command(word);
  for (const MissingRight& missing : MissingRights(ReadRights(SystemPaths{})))
    SetCounter(session, missing.counter, 1);
  NoteClocks(session);
  return session;
}

void NoteClocks(pb::Session& session) {
  auto& clocks = *session.mutable_clocks();
  if (clocks.size() >= kMaxClockPairs) {
    // Every second one goes, the first stays: the pairs remain evenly spread over the whole
    // recording.
    int kept = 0;
    for (int i = 0; i < clocks.size(); i += 2) clocks.SwapElements(kept++, i);
    clocks.DeleteSubrange(kept, clocks.size() - kept);
  }
  *clocks.Add() = ReadClockPair();
}

void NoteKernelCounters(const KernelPrograms& programs, pb::Session& session) {
  uint64_t flows_not_kept = 0;
  uint64_t requests_not_kept = 0;
  uint64_t irq_runs_not_kept = 0;
  uint64_t targets_not_kept = 0;
  uint64_t samples_missed = 0;
  uint64_t produced[GD_KINDS] = {};
  uint64_t lost[GD_KINDS] = {};
  for (int cpu = 0; cpu < programs.cpus(); ++cpu) {
    const gd_cpu& counters = programs.cpu(cpu);
    flows_not_kept += counters.flows_not_kept;
    requests_not_kept += counters.requests_not_kept;
    irq_runs_not_kept += counters.irq_runs_not_kept;
    targets_not_kept += counters.targets_not_kept;
    samples_missed += counters.samples_missed;
    for (int kind = 0; kind < GD_KINDS; ++kind) {
      produced[kind] += counters.produced[kind];
      lost[kind] += counters.lost[kind];
    }
  }
  for (int kind = 0; kind < GD_KINDS; ++kind) {
    if (produced[kind] == 0) continue;
    SetCounter(session, absl::StrCat("records_produced_", RecordKindName(kind)), produced[kind]);
    SetCounter(session, absl::StrCat("records_lost_", RecordKindName(kind)), lost[kind]);
  }
  SetCounter(session, "flows_table_full", flows_not_kept);
  SetCounter(session, "block_requests_table_full", requests_not_kept);
  SetCounter(session, "irq_totals_table_full", irq_runs_not_kept);
  SetCounter(session, "stacks_not_taken", programs.CountStacksNotTaken());
  SetCounter(session, "targets_table_full", targets_not_kept);
  SetCounter(session, "cpu_samples_missed", samples_missed);
  NoteLeftOut(programs.CountLeftOut(), session);
}

void NoteTestWindows(const KernelPrograms& programs, pb::Session& session) {
  const gd_test_windows& windows = programs.test_windows();
  SetCounter(session, "writes_interrupted", windows.interrupted);
  SetCounter(session, "plain_writes_interrupted", windows.plain_interrupted);
  SetCounter(session, "places_taken_again", windows.taken_again);
}

void NoteUnwindCounters(const UnwindMaps& maps, const SymbolCounters& counters,
                        pb::Session& session) {
  constexpr const char* kNames[GD_UNWIND_COUNTS] = {"stacks_unwound", "stacks_unwound_in_part",
                                                    "stacks_unwound_too_deep",
                                                    "stacks_by_frame_pointers"};
  for (int what = 0; what < GD_UNWIND_COUNTS; ++what)
    SetCounter(session, kNames[what], __atomic_load_n(&maps.counts[what], __ATOMIC_RELAXED));
  for (const auto& [name, value] : counters) SetCounter(session, name, value);
}

void NoteProbeCounters(const ProbeCounts& counts, pb::Session& session) {
  if (counts.events != 0 || counts.lost != 0) {
    SetCounter(session, "records_produced_probe", counts.events + counts.lost);
    SetCounter(session, "records_lost_probe", counts.lost);
  }
  SetCounter(session, "probe_records_invalid", counts.records_invalid);
  SetCounter(session, "probe_events_out_of_time", counts.out_of_time);
  SetCounter(session, "probe_threads_unknown", counts.threads_unknown);
  SetCounter(session, "probe_files_refused", counts.files_refused);
  SetCounter(session, "probe_files_over_limit", counts.files_not_taken);
  SetCounter(session, "probe_gaps", counts.gaps);
}

}  // namespace gordian
