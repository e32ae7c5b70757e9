// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_arguments.h"

#include <string>

#include "words/budget_option.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

// At the interval's lower border the samplers of /proc and /sys still cost nothing noticeable.
constexpr uint64_t kShortestIntervalNs = 50'000'000;
constexpr uint64_t kLongestIntervalNs = 3'600'000'000'000;

CLI::Validator PositiveNumber(const char* what) {
  return {[what](const std::string& text) {
            return text == "0" ? std::string(what) + " must be more than nothing" : std::string();
          },
          ""};
}

CLI::Validator IntervalInRange() {
  return {[](const std::string& text) {
            const uint64_t interval_ns = std::stoull(text);
            const bool fits =
                interval_ns >= kShortestIntervalNs && interval_ns <= kLongestIntervalNs;
            return fits ? std::string() : std::string("the interval must be from 50ms to 1h");
          },
          ""};
}

constexpr uint32_t kDefaultSampleHz = 99;

CLI::Validator Budget() {
  return {[](const std::string& text) {
            return ParseBudgetPpm(text) ? std::string() : std::string("give ") + kBudgetForm;
          },
          ""};
}

void AddLimits(CLI::App& command, pb::StartRequest& request) {
  command
      .add_option_function<uint64_t>(
          "--duration", [&](uint64_t span_ns) { request.set_duration_ns(span_ns); },
          "End by itself after this time (5.5s, 1m30s)")
      ->check(PositiveNumber("the duration"))
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option_function<uint64_t>(
          "--ring", [&](uint64_t bytes) { request.set_ring_bytes(bytes); },
          "Flight recorder: keep only the newest this much (64M, 2G)")
      ->check(PositiveNumber("the ring"))
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  command
      .add_option_function<uint64_t>(
          "--max-size", [&](uint64_t bytes) { request.set_max_bytes(bytes); },
          "End by itself at this size on disk")
      ->check(PositiveNumber("the size"))
      ->transform(SizeInBytes())
      ->type_name("SIZE");
}

// The recording node looks these up.
void AddNamedTargets(CLI::App& command, pb::StartRequest& request) {
  using Names = std::vector<std::string>;
  const auto add = [&](const char* option, const char* about, const char* type,
                       auto mutable_names) {
    command
        .add_option_function<Names>(
            option,
            [&request, mutable_names](const Names& names) {
              mutable_names(request)->Assign(names.begin(), names.end());
            },
            about)
        ->check(CLI::Validator(
            [](const std::string& name) {
              return std::string(name.empty() ? "a name is missing" : "");
            },
            ""))
        ->type_name(type)
        ->allow_extra_args(false);
  };
  add("--pod", "… about this pod of Kubernetes on this node (repeatable)", "NAMESPACE/POD",
      [](pb::StartRequest& asked) { return asked.mutable_pods(); });
  add("--container", "… about the container of this name or id (repeatable)", "NAME",
      [](pb::StartRequest& asked) { return asked.mutable_containers(); });
  add("--unit", "… about this unit of systemd: nginx, machine.slice (repeatable)", "UNIT",
      [](pb::StartRequest& asked) { return asked.mutable_units(); });
}

void AddTargets(CLI::App& command, pb::StartRequest& request) {
  using Pids = std::vector<int32_t>;
  using Names = std::vector<std::string>;
  command
      .add_option_function<Pids>(
          "--pid",
          [&](const Pids& pids) { request.mutable_pids()->Assign(pids.begin(), pids.end()); },
          "The analysis is about this process and its descendants (repeatable)")
      ->check(ProcessNumber())
      ->type_name("PID")
      ->allow_extra_args(false);
  command
      .add_option_function<Names>(
          "--comm",
          [&](const Names& names) { request.mutable_comms()->Assign(names.begin(), names.end()); },
          "… about threads and processes of this name (repeatable)")
      ->check(NotEmpty("the name"))
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option_function<Names>(
          "--cgroup",
          [&](const Names& paths) {
            request.mutable_cgroups()->Assign(paths.begin(), paths.end());
          },
          "… about this cgroup2 group and those below it (repeatable)")
      ->check(NotEmpty("the path"))
      ->type_name("PATH")
      ->allow_extra_args(false);
  AddNamedTargets(command, request);
  command.add_flag_function(
      "--only", [&](int64_t count) { request.set_only(count > 0); },
      "Record only what touches the targets: chains of waits end there");
}

void AddWaysToRecord(CLI::App& command, pb::StartRequest& request) {
  command
      .add_option_function<std::string>(
          "--attach", [&](const std::string& text) { request.set_attach(text); },
          "How to attach to the kernel")
      ->check(CLI::IsMember({"auto", "tracepoint", "kprobe", "fentry"}).description(""))
      ->type_name("auto|tracepoint|kprobe|fentry")
      ->default_str("auto");
  command
      .add_option_function<uint64_t>(
          "--resource-interval",
          [&](uint64_t span_ns) { request.set_resource_interval_ns(span_ns); },
          "Between two samples of CPUs, disks, interfaces and memory (default 1s)")
      ->check(IntervalInRange())
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option_function<uint64_t>(
          "--kernel-ring", [&](uint64_t bytes) { request.set_kernel_ring_bytes_per_cpu(bytes); },
          "Kernel ring of each CPU, a power of two (default 8M)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  command
      .add_option_function<uint64_t>(
          "--irq-threshold", [&](uint64_t span_ns) { request.set_irq_threshold_ns(span_ns); },
          "Record single interrupts that take longer, or that wake somebody (default 100us)")
      ->transform(TimeInNs())
      ->type_name("TIME");
}

void AddWhatItCosts(CLI::App& command, pb::StartRequest& request) {
  command
      .add_option_function<std::string>(
          "--stacks", [&](const std::string& text) { request.set_stacks(text); },
          "Record where in the code threads wait and wake: for no wait, for a sample that keeps "
          "sums "
          "true, or for all (default: sampled; off with --ring, and in gordiand's sessions)")
      ->check(CLI::IsMember({"off", "sampled", "all"}).description(""))
      ->type_name("off|sampled|all");
  request.set_sample_hz(kDefaultSampleHz);
  command
      .add_option_function<uint32_t>(
          "--sample-hz", [&](uint32_t hz) { request.set_sample_hz(hz); },
          "With stacks: samples of running threads, per second and CPU; 0 for none "
          "(default 99)")
      ->check(WholeNumber(0, 10'000))
      ->type_name("HZ");
  command
      .add_option_function<std::string>(
          "--budget",
          [&](const std::string& text) { request.set_budget_ppm(*ParseBudgetPpm(text)); },
          "The most that recording takes of all CPUs' time. It pauses when it needs more (default: "
          "2%; none with --ring; in gordiand's sessions its owner's max-cpu)")
      ->check(Budget())
      ->type_name("PERCENT|none");
  using Names = std::vector<std::string>;
  command
      .add_option_function<Names>(
          "--count-call",
          [&](const Names& calls) {
            request.mutable_counted_calls()->Assign(calls.begin(), calls.end());
          },
          "Count each system call of this name that succeeds (accept4; repeatable), for "
          "gordian whatif --progress 'syscall NAME'")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--local-messages", [&](const std::string& kinds) { request.add_local_messages(kinds); },
          "Record who sends how much to whom on unix stream sockets, in pipes, or both: requests "
          "there are then seen as those over TCP are. Pipes make all system calls slower where "
          "kernels lack fentry")
      ->check(CLI::IsMember({"sockets", "pipes", "all"}).description(""))
      ->type_name("sockets|pipes|all");
  command.add_flag_function(
      "--no-commands", [&](int64_t count) { request.set_no_commands(count > 0); },
      "Record neither command lines nor working directories of processes");
}

}  // namespace

void AddRecordingOptions(CLI::App& command, pb::StartRequest& request) {
  AddLimits(command, request);
  AddTargets(command, request);
  AddWaysToRecord(command, request);
  AddWhatItCosts(command, request);
}

bool HasTarget(const pb::StartRequest& request) {
  return request.pids_size() + request.comms_size() + request.cgroups_size() + request.pods_size() +
             request.containers_size() + request.units_size() >
         0;
}

}  // namespace gordian
