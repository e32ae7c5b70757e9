#include "cli/recording_arguments.h"

#include <cmath>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/quantity_options.h"

namespace gordian {
namespace {

// The interval's lower border is what the samplers of /proc and /sys bear without being felt.
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

constexpr double kLeastBudgetPercent = 0.5;
constexpr double kMostBudgetPercent = 50;

// "2%", "0.5%" or "2"; nullopt for anything else.
std::optional<double> PercentIn(const std::string& text) {
  double percent = 0;
  if (!absl::SimpleAtod(absl::StripSuffix(text, "%"), &percent)) return std::nullopt;
  if (!(percent >= kLeastBudgetPercent && percent <= kMostBudgetPercent)) return std::nullopt;
  return percent;
}

CLI::Validator Budget() {
  return {[](const std::string& text) {
            return text == "none" || PercentIn(text)
                       ? std::string()
                       : std::string("give a share of all CPUs' time from 0.5% to 50%, or none");
          },
          ""};
}

}  // namespace

void AddRecordingOptions(CLI::App& command, RecordingArguments& arguments) {
  command
      .add_option("--duration", arguments.duration_ns, "End by itself after this time (10s, 5m)")
      ->check(PositiveNumber("the duration"))
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option("--ring", arguments.ring_bytes,
                  "Flight recorder: keep only the newest this much (64M, 2G)")
      ->check(PositiveNumber("the ring"))
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  command.add_option("--max-size", arguments.max_bytes, "End by itself at this size on disk")
      ->check(PositiveNumber("the size"))
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  command
      .add_option("--pid", arguments.pids,
                  "The analysis is about this process and its descendants (repeatable)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("PID")
      ->allow_extra_args(false);
  command
      .add_option("--comm", arguments.comms,
                  "… about threads and processes of this name (repeatable)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--cgroup", arguments.cgroups, "… about this cgroup2 group (repeatable)")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command.add_flag("--only", arguments.only,
                   "Record only what touches the targets: chains of waits end there");
  command.add_option("--attach", arguments.attach, "How to attach to the kernel")
      ->check(CLI::IsMember({"auto", "tracepoint", "kprobe", "fentry"}).description(""))
      ->type_name("auto|tracepoint|kprobe|fentry")
      ->capture_default_str();
  command
      .add_option("--resource-interval", arguments.resource_interval_ns,
                  "Between two samples of CPUs, disks, interfaces and memory (default 1s)")
      ->check(IntervalInRange())
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option("--kernel-ring", arguments.kernel_ring_bytes,
                  "Kernel ring of each CPU, a power of two (default 8M)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  command
      .add_option(
          "--irq-threshold", arguments.irq_threshold_ns,
          "Record single interrupts that take longer, or that wake somebody (default 100us)")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option(
          "--stacks", arguments.stacks,
          "Where in their code threads wait and wake: of some waits, chosen so that sums stay "
          "true, or of all (default: sampled; off with --ring, and in gordiand's sessions)")
      ->check(CLI::IsMember({"off", "sampled", "all"}).description(""))
      ->type_name("off|sampled|all");
  command
      .add_option("--sample-hz", arguments.sample_hz,
                  "With stacks: samples of running threads, per second and CPU; 0 for none "
                  "(default 99)")
      ->check(CLI::Range(0, 10'000).description(""))
      ->type_name("HZ");
  command
      .add_option("--budget", arguments.budget,
                  "What recording may take of all CPUs' time: where it needs more, it pauses, and "
                  "the analysis is of what was recorded (default: 2%; none with --ring, and in "
                  "gordiand's sessions)")
      ->check(Budget())
      ->type_name("PERCENT|none");
  command
      .add_option("--count-call", arguments.counted_calls,
                  "Count each system call of this name that succeeds (accept4; repeatable), for "
                  "gordian whatif --progress 'syscall NAME'")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

std::string StacksOf(const RecordingArguments& arguments) {
  if (!arguments.stacks.empty()) return arguments.stacks;
  return arguments.ring_bytes > 0 ? "off" : "sampled";
}

std::optional<uint32_t> BudgetPpm(const RecordingArguments& arguments) {
  if (arguments.budget.empty()) return std::nullopt;
  const std::optional<double> percent = PercentIn(arguments.budget);
  return percent ? static_cast<uint32_t>(std::lround(*percent * 1e4)) : 0;
}

bool HasTarget(const RecordingArguments& arguments) {
  return !arguments.pids.empty() || !arguments.comms.empty() || !arguments.cgroups.empty();
}

}  // namespace gordian
