// What `gordian analyze`, `profile`, `graph`, `timeline` and `diff` are asked alike.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace gordian {

// What the analysis is about; without any, what the recording says, or the busiest group of
// threads.
struct TargetArguments {
  std::vector<int32_t> pids;
  std::vector<std::string> comms;
  std::vector<std::string> cgroups;
  std::vector<std::string> nodes;
};

// How vertices are made of threads.
struct GraphArguments {
  std::vector<std::string> groups;  // REGEX=NAME
  bool no_merge = false;
  int threads = 0;  // 0: one for each CPU
  bool assume_false_wakeups = false;
};

// How knots are searched.
struct FindingArguments {
  double threshold = 0.20;  // of the recording
  uint32_t max_vertices = 0;
  bool keep_background = false;
  bool explain = false;
  bool no_predictions = false;
};

// Counted from the recording's start.
struct TimeRangeArguments {
  uint64_t from_ns = 0;
  uint64_t to_ns = UINT64_MAX;
};

// The arguments must outlive the parse.
void AddDirectoryOption(CLI::App& command, std::string& directory);
void AddTargetOptions(CLI::App& command, TargetArguments& arguments);
// --node, which recordings of one node refuse.
void AddNodeOption(CLI::App& command, TargetArguments& arguments);
void AddGraphOptions(CLI::App& command, GraphArguments& arguments);
// Without --explain.
void AddFindingOptions(CLI::App& command, FindingArguments& arguments);
void AddExplainOption(CLI::App& command, FindingArguments& arguments);
// --no-predictions
void AddPredictionOption(CLI::App& command, FindingArguments& arguments);
// --assume-false-wakeups
void AddAssumeOption(CLI::App& command, bool& assume_false_wakeups);
void AddTimeRangeOptions(CLI::App& command, TimeRangeArguments& arguments);

// For ->transform(): turns 20% or 0.2 into 0.2.
CLI::Validator ShareOfOne();

}  // namespace gordian
