// What `gordian record` and `gordian start` are asked alike.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gordian {

struct RecordingArguments {
  std::string attach = "auto";  // auto, tracepoint, kprobe, fentry
  std::vector<int32_t> pids;
  std::vector<std::string> comms;
  std::vector<std::string> cgroups;
  bool only = false;
  uint64_t ring_bytes = 0;   // 0: not asked for
  uint64_t max_bytes = 0;    // 0: not asked for
  uint64_t duration_ns = 0;  // 0: not asked for
  uint64_t resource_interval_ns = 1'000'000'000;
  uint64_t kernel_ring_bytes = 8u << 20;
  uint64_t irq_threshold_ns = 100'000;
  std::string stacks;  // off, sampled, all; empty: sampled, but off in a flight recorder
  uint32_t sample_hz = 99;
  std::vector<std::string> counted_calls;
  std::string budget;  // none, or a share ("2%"); empty: what the verb and --ring make of it
};

// What `gordian record` takes if it is not asked otherwise.
inline constexpr uint32_t kDefaultBudgetPpm = 20'000;

// What `arguments.budget` says, in millionths, 0 for none; nullopt if it says nothing.
std::optional<uint32_t> BudgetPpm(const RecordingArguments& arguments);

// What `arguments.stacks` comes to.
std::string StacksOf(const RecordingArguments& arguments);

// Whether `arguments` name a target.
bool HasTarget(const RecordingArguments& arguments);

// `arguments` must outlive the parse.
void AddRecordingOptions(CLI::App& command, RecordingArguments& arguments);

}  // namespace gordian
